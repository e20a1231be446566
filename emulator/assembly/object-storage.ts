/** Makes the object store and the volumes, and the environment variables by which workers find them. */
import { join } from "node:path";
import type { Random } from "../core/time/clock.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { EndpointDirectory } from "../engine/resources/endpoint-directory.ts";
import type { WorkerOrder } from "../launch/launcher.ts";
import type { LocalEndpoint } from "../handlers/local-endpoint.ts";
import type { KnownOwner } from "../objects/access-keys.ts";
import { ObjectService } from "../objects/object-service.ts";
import type { CallerCheck } from "../http/access/caller-check.ts";
import { namedBuckets } from "../objects/worker-environment.ts";
import type { EmulatorOptions } from "../options.ts";
import type { Store } from "../store/store.ts";
import { Volumes } from "../volumes/volumes.ts";

const LAST_PORT = 65_535;

export interface StorageParts {
  readonly log: EngineLog;
  readonly store: Store;
  readonly random: Random;
  /** Who may call the object store at all. */
  readonly callers: CallerCheck;
  /** Where objects and volumes are kept if there is no data directory. */
  readonly temporaryDir: string;
  readonly host: string;
  /** The service's own port. */
  readonly port: number;
  /** Whom keys of the store may belong to. */
  readonly known: Known;
  readonly local: readonly LocalEndpoint[];
}

type Known = Pick<EndpointDirectory, "findEndpoint" | "findTemplate">;

export interface Storage {
  /** To be called when it is known which endpoints there are, and before workers are told where to find it. @throws ListenError */
  listen(): Promise<void>;
  readonly objects: ObjectService | undefined;
  readonly volumes: Volumes;
  /** Never throws. */
  readonly workerEnv: (worker: WorkerOrder) => Readonly<Record<string, string>>;
}

/** Opens the object store and the volumes; nobody can call them yet. What was made is taken down with `made`. */
export async function startStorage(
  emulator: EmulatorOptions,
  { log, store, random, callers, temporaryDir, host, port, local, known }: StorageParts,
  made: AsyncDisposableStack,
): Promise<Storage> {
  const directory = emulator.dataDir ?? temporaryDir;
  // Opening it takes longer than all the rest, and few functions of a test need it.
  const { handlers, commands, images } = emulator;
  const { s3 = !(handlers ?? commands ?? images) && emulator.endpoints ? false : {} } = emulator;
  // Clients date their signatures by the wall clock, which service time leaves when the machine sleeps.
  const now = Date.now;
  const objects =
    s3 === false
      ? undefined
      : new ObjectService({
          directory: join(directory, "objects"),
          random,
          now,
          log,
          callers: (request) => callers.look(request),
          ownerOf: (id) => ownerOf(id, known, volumes),
        });
  made.defer(() => objects?.stop());
  const volumes: Volumes = new Volumes({
    directory: join(directory, "volumes"),
    buckets: objects,
    log,
  });
  // Before the store can be called: a client that finds no bucket makes one.
  const recorded = await store.read((view) => view.records("networkVolume"));
  await volumes.open(recorded.map(({ id }) => id));
  await volumes.openLocal(local);
  return {
    async listen() {
      if (s3 === false) return;
      const next = port === 0 || port === LAST_PORT ? 0 : port + 1;
      await objects?.start({ host, port: s3.port ?? next, mayMove: s3.port === undefined });
    },
    objects,
    volumes,
    workerEnv: ({ endpoint, template }) => ({
      ...objects?.workerEnv(endpoint, template.env),
      ...volumes.workerEnv(endpoint),
    }),
  };
}

/** The endpoint's volumes are its buckets too, and so is one that its template's `env` names. */
function ownerOf(id: string, known: Known, volumes: Volumes): KnownOwner | undefined {
  const endpoint = known.findEndpoint(id);
  if (endpoint === undefined) return undefined;
  const named = namedBuckets(known.findTemplate(endpoint.templateId)?.env ?? {});
  const otherBuckets = [...volumes.bucketsOf(endpoint), ...named];
  return { id, createdAt: endpoint.createdAt, otherBuckets };
}
