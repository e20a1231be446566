/** Makes the object store and the volumes, and the environment variables by which workers find them. */
import { join } from "node:path";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { Directory } from "../engine/resources/directory.ts";
import type { WorkerOrder } from "../launch/launcher.ts";
import type { LocalEndpoint } from "../handlers/local-endpoint.ts";
import type { KnownOwner } from "../objects/access-keys.ts";
import { ObjectService } from "../objects/object-service.ts";
import type { CallerCheck } from "../http/operation/access/caller-check.ts";
import { namedBuckets, storageEnvironment } from "./workers/worker-storage.ts";
import type { ServerLife } from "../net/server-life.ts";
import type { EmulatorOptions } from "../options.ts";
import type { Steps } from "../engine/steps/steps.ts";
import { Volumes } from "../volumes/volumes.ts";

const LAST_PORT = 65_535;

/** Path of the object store on the service's port, for clients that cannot reach the store's own port. */
export const S3_PATH = "/s3";

export interface StorageParts {
  readonly log: EngineLog;
  readonly steps: Steps;
  /** Check of each caller before its signature. */
  readonly callers: CallerCheck;
  /** Directory of objects and volumes without a data directory. */
  readonly temporaryDir: string;
  readonly host: string;
  /** The service's own port. */
  readonly port: number;
  /** The endpoints that keys of the store may belong to. */
  readonly known: Known;
  readonly local: readonly LocalEndpoint[];
  readonly life: ServerLife;
}

type Known = Pick<Directory, "findEndpoint" | "findTemplate">;

export interface Storage {
  /** Call it when the endpoints are known, and before workers get its address. @throws ListenError */
  listen(): Promise<void>;
  readonly objects: ObjectService | undefined;
  readonly volumes: Volumes;
  /** Never throws. */
  readonly workerEnv: (worker: WorkerOrder) => Readonly<Record<string, string>>;
}

/** Opens the object store and the volumes. They listen later, and are closed with `made`. */
export async function startStorage(
  emulator: EmulatorOptions,
  { log, steps, callers, temporaryDir, host, port, local, known, life }: StorageParts,
  made: AsyncDisposableStack,
): Promise<Storage> {
  const directory = emulator.dataDir ?? temporaryDir;
  // The store is opened on demand: opening it takes longest in a start, and few functions of tests need it.
  const { handlers, commands, images } = emulator;
  const { s3 = !(handlers ?? commands ?? images) && emulator.endpoints ? false : {} } = emulator;
  // Clients sign with the wall clock. Service time differs from it after a sleep of the machine.
  const now = Date.now;
  const objects =
    s3 === false
      ? undefined
      : new ObjectService({
          directory: join(directory, "objects"),
          now,
          log,
          life,
          callers: (request) => ({ ...callers.look(request), seen: callers.seen(request) }),
          ownerOf: (id) => ownerOf(id, known, volumes),
        });
  made.defer(() => objects?.stop());
  const volumes: Volumes = new Volumes({
    directory: join(directory, "volumes"),
    buckets: objects?.store,
    log,
  });
  // The buckets are made before the store can be called, because a client that finds no bucket makes one.
  const recorded = steps.records.inOrder("networkVolume");
  await volumes.open(recorded.map(({ id }) => id));
  await volumes.openLocal(local);
  return {
    async listen() {
      if (s3 === false) return;
      const next = port === 0 || port === LAST_PORT ? 0 : port + 1;
      await objects?.start({ host, port: s3.port ?? next, allowsOtherPort: s3.port === undefined });
    },
    objects,
    volumes,
    workerEnv: ({ endpoint, template }) => ({
      ...storageEnvironment(template.env, objects?.bucketFor(endpoint)),
      ...volumes.workerEnv(endpoint),
    }),
  };
}

/** The buckets of an endpoint: its own, its volumes, and one that the `env` of its template names. */
function ownerOf(id: string, known: Known, volumes: Volumes): KnownOwner | undefined {
  const endpoint = known.findEndpoint(id);
  if (endpoint === undefined) return undefined;
  const named = namedBuckets(known.findTemplate(endpoint.templateId)?.env ?? {});
  const otherBuckets = [...volumes.bucketsOf(endpoint), ...named];
  return { id, createdAt: endpoint.createdAt, otherBuckets };
}
