/** The files of the service: the object store and the volumes, and what workers are told of them. */
import { join } from "node:path";
import type { Random } from "./core/clock.ts";
import type { EngineLog } from "./engine/context.ts";
import type { WorkerOrder } from "./launch/launcher.ts";
import type { LocalEndpoint } from "./local-endpoint.ts";
import { ObjectService } from "./objects/object-service.ts";
import type { CallerLook } from "./objects/server/object-requests.ts";
import type { EmulatorOptions } from "./options.ts";
import type { Store } from "./store/store.ts";
import { Volumes } from "./volumes.ts";

const LAST_PORT = 65_535;

export interface StorageOptions {
  readonly log: EngineLog;
  readonly store: Store;
  readonly random: Random;
  /** Who may call the object store at all. */
  readonly callers: CallerLook;
  /** Where objects and volumes are kept. */
  readonly directory: string;
  readonly host: string;
  /** The service's own port. */
  readonly port: number;
  readonly emulator: EmulatorOptions;
  readonly endpoints: readonly LocalEndpoint[];
  /** Called with the object store as soon as there is one, so that it can be taken down. */
  readonly opened: (objects: ObjectService) => void;
}

export interface Storage {
  readonly objects: ObjectService | undefined;
  readonly volumes: Volumes;
  /** Never throws. */
  readonly workerEnv: (worker: WorkerOrder) => Readonly<Record<string, string>>;
}

/** Before the workers, which are told where to find it. */
export async function startStorage(options: StorageOptions): Promise<Storage> {
  const { log, store, random, callers, directory, host, port, emulator, endpoints } = options;
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
          callers,
        });
  if (objects !== undefined) options.opened(objects);
  const volumes = new Volumes({ directory: join(directory, "volumes"), buckets: objects, log });
  // Before the store can be called: a client that finds no bucket makes one.
  const known = await store.read((view) => view.records("networkVolume"));
  await volumes.open(known.map(({ id }) => id));
  await volumes.openLocal(endpoints);
  if (s3 !== false) {
    const next = port === 0 || port === LAST_PORT ? 0 : port + 1;
    await objects?.start({ host, port: s3.port ?? next, mayMove: s3.port === undefined });
  }
  return {
    objects,
    volumes,
    workerEnv: ({ endpoint, template }) => ({
      ...objects?.workerEnv(endpoint.id, template.env),
      ...volumes.workerEnv(endpoint),
    }),
  };
}
