/** Where objects and the files of volumes are kept: the object store, the volumes, and what workers are told of both. */
import { join } from "node:path";
import type { Random } from "./core/clock.ts";
import type { EngineLog } from "./engine/context.ts";
import type { WorkerOrder } from "./launch/launcher.ts";
import { ObjectService } from "./objects/object-service.ts";
import type { EmulatorOptions } from "./options.ts";
import type { Store } from "./store/store.ts";
import { Volumes } from "./volumes.ts";

const LAST_PORT = 65_535;

export interface Storage {
  readonly objects: ObjectService | undefined;
  readonly volumes: Volumes;
  /** Never throws. */
  readonly workerEnv: (worker: WorkerOrder) => Readonly<Record<string, string>>;
}

export interface StorageOptions {
  readonly emulator: Pick<EmulatorOptions, "s3" | "handlers">;
  readonly host: string;
  /** Of the service. */
  readonly port: number;
  readonly directory: string;
  readonly store: Store;
  readonly random: Random;
  readonly log: EngineLog;
  /** Told of the object store before it is started, so that it is stopped whatever fails. */
  readonly opened: (objects: ObjectService) => void;
}

/** To be called before there are workers, which are told where to find it. */
export async function startStorage(options: StorageOptions): Promise<Storage> {
  const { host, port, directory, store, random, log, opened } = options;
  const { s3 = {}, handlers = [] } = options.emulator;
  // Clients date their signatures by the wall clock, which service time leaves when the machine sleeps.
  const now = Date.now;
  const objects =
    s3 === false
      ? undefined
      : new ObjectService({ directory: join(directory, "objects"), random, now, log });
  if (objects !== undefined) opened(objects);
  const volumes = new Volumes({ directory: join(directory, "volumes"), buckets: objects, log });
  // Before the store can be called: a client that finds no bucket makes one.
  const known = await store.read((view) => view.records("networkVolume"));
  await volumes.open(known.map(({ id }) => id));
  await volumes.openLocal(handlers);
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
