/** The directories of volumes. They are created and removed with their records, and each is served as a bucket. */
import fs from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { WORKER_ENV } from "../../runtime/protocol/environment/worker-env.ts";
import type { Endpoint } from "../core/resources/endpoints/endpoint.ts";
import { volumesOf } from "../core/resources/network-volumes/network-volume.ts";
import type { Pod } from "../core/pods/pod.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { VolumeFiles } from "../engine/resources/volume-files.ts";
import type { LocalEndpoint } from "../handlers/local-endpoint.ts";
import type { DiskObjectStore } from "../objects/disk/disk-object-store.ts";
import { DirectorySync, makeDirectoryDurably } from "../sqlite/durable-directory.ts";
import { codeOf, fromFileSystem } from "../sqlite/sqlite-error.ts";

/** Pattern of a network volume's id; other directories are not volumes. */
const ID = /^[0-9a-z]{10}$/u;

/** Suffix of the file that marks a volume's directory as being made or removed. */
const MARK = ".unsettled";

/** Suffix of an endpoint's id in the name of its local volume's bucket. No endpoint's own bucket has a dot in its name. */
const LOCAL_BUCKET = ".volume";

export interface VolumesOptions {
  /** Parent of the directories of network volumes, by id; created with the first. */
  readonly directory: string;
  /** Makes directories buckets; undefined without an object store. */
  readonly buckets: Pick<DiskObjectStore, "volumeBucket" | "dropVolumeBucket"> | undefined;
  readonly log: EngineLog;
}

/** Number of removals of the volume in progress. */
interface Removal {
  count: number;
  /** Whether one of the removals set the mark. */
  isMarked: boolean;
}

/** The directory for an endpoint's volume cannot be used; the message says why. */
export class VolumeUnusableError extends Error {
  override readonly name = "VolumeUnusableError";
}

export class Volumes implements VolumeFiles {
  readonly #root: string;
  readonly #buckets: VolumesOptions["buckets"];
  readonly #log: EngineLog;
  readonly #sync: DirectorySync;
  /** The user's directories by endpoint; they are never removed here. */
  readonly #local = new Map<string, string>();
  readonly #removals = new Map<string, Removal>();

  constructor({ directory, buckets, log }: VolumesOptions) {
    this.#root = path.resolve(directory);
    this.#buckets = buckets;
    this.#log = log;
    this.#sync = new DirectorySync(this.#root);
  }

  /**
   * Call this once at the start with the ids of all network volumes: finishes work that an earlier run left unfinished, and
   * makes each volume a bucket again. Removes only directories that such a run had marked.
   */
  async open(volumeIds: readonly string[]): Promise<void> {
    const volumes = new Set(volumeIds);
    const names = await fs.readdir(this.#root).catch(() => []);
    for (const name of names.filter((each) => each.endsWith(MARK))) {
      const id = name.slice(0, -MARK.length);
      if (volumes.has(id)) await this.#unmark(id);
      else if (ID.test(id)) await this.#sweep(id);
    }
    for (const id of volumes) await this.#reopen(id);
    for (const id of names.filter((name) => ID.test(name) && !volumes.has(name))) {
      const directory = this.#directoryOf(id);
      if (!existsSync(directory)) continue;
      this.#log.warn(
        { directory },
        `${directory} belongs to no network volume; it is left unchanged`,
      );
    }
  }

  /**
   * Call this once at the start: makes the handlers' directories, if missing, and makes them volumes and buckets of their endpoints.
   * @throws VolumeUnusableError
   */
  async openLocal(handlers: readonly LocalEndpoint[]): Promise<void> {
    for (const { id, volume } of handlers) {
      if (volume === undefined) continue;
      await fs.mkdir(volume, { recursive: true }).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        const sentence = `the volume of the endpoint "${id}" cannot be used: ${reason}`;
        throw new VolumeUnusableError(sentence, { cause: error });
      });
      this.#local.set(id, volume);
      await this.#openBucket(`${id}${LOCAL_BUCKET}`, volume);
    }
  }

  /** Path of the endpoint's volume; undefined without one. */
  directoryFor(endpoint: Endpoint): string | undefined {
    const [first] = volumesOf(endpoint);
    return first === undefined ? this.#local.get(endpoint.id) : this.#directoryOf(first);
  }

  /** Path of a pod's network volume; undefined without one. */
  directoryOfPod({ networkVolumeId }: Pick<Pod, "networkVolumeId">): string | undefined {
    return networkVolumeId === undefined ? undefined : this.#directoryOf(networkVolumeId);
  }

  /** Buckets with the files of the endpoint's volumes. */
  bucketsOf(endpoint: Endpoint): readonly string[] {
    const local = this.#local.has(endpoint.id) ? [`${endpoint.id}${LOCAL_BUCKET}`] : [];
    return [...volumesOf(endpoint), ...local];
  }

  /** The variables by which the handler of a worker of the endpoint finds the files. */
  workerEnv(endpoint: Endpoint): Readonly<Record<string, string>> {
    const directory = this.directoryFor(endpoint);
    return directory === undefined ? {} : { [WORKER_ENV.volumePath]: directory };
  }

  async create(volumeId: string, commit: () => Promise<void>): Promise<void> {
    const directory = this.#directoryOf(volumeId);
    await this.#onDisk(async () => {
      makeDirectoryDurably(this.#root);
      if (existsSync(directory)) throw new Error(`${directory} is there already`);
      await this.#mark(volumeId);
    });
    try {
      await this.#onDisk(async () => makeDirectoryDurably(directory));
      await this.#buckets?.volumeBucket(volumeId, directory);
      await commit();
    } catch (error) {
      await this.#clear(volumeId);
      throw error;
    }
    await this.#unmark(volumeId);
  }

  async remove(volumeId: string, commit: () => Promise<void>): Promise<void> {
    const removal = this.#removals.get(volumeId) ?? { count: 0, isMarked: false };
    this.#removals.set(volumeId, removal);
    removal.count += 1;
    try {
      if (await this.#markRemoval(volumeId)) removal.isMarked = true;
      await this.#commitRemoval(volumeId, removal, commit);
      await this.#clear(volumeId);
    } finally {
      removal.count -= 1;
      if (removal.count === 0) this.#removals.delete(volumeId);
    }
  }

  async #commitRemoval(volumeId: string, removal: Removal, commit: () => Promise<void>) {
    try {
      await commit();
    } catch (error) {
      // Other removals rely on the mark, so only the last one removes it.
      if (removal.count === 1 && removal.isMarked) await this.#unmark(volumeId);
      throw error;
    }
  }

  /** True if the volume was not marked before. */
  async #markRemoval(volumeId: string): Promise<boolean> {
    try {
      return await this.#mark(volumeId);
    } catch (error) {
      // Without the mark the deletion goes on: deletion must be possible on a full disk.
      this.#log.warn({ volumeId, err: error }, "the volume cannot be marked as being deleted");
      return false;
    }
  }

  #directoryOf(volumeId: string): string {
    return path.join(this.#root, volumeId);
  }

  /** Sets a durable mark. Returns false if another deletion has already set it. */
  async #mark(volumeId: string): Promise<boolean> {
    try {
      await fs.writeFile(this.#directoryOf(volumeId) + MARK, "", { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
    await this.#sync.sync();
    return true;
  }

  /** A mark that stays does no harm: the next start looks for the record. */
  async #unmark(volumeId: string): Promise<void> {
    await fs.rm(this.#directoryOf(volumeId) + MARK, { force: true }).catch(() => undefined);
  }

  /** Removes everything of a volume without a record. Never rejects: the next start removes the rest. */
  async #clear(volumeId: string): Promise<void> {
    const directory = this.#directoryOf(volumeId);
    try {
      this.#buckets?.dropVolumeBucket(volumeId);
      await fs.rm(directory, { recursive: true, force: true, maxRetries: 3 });
      await this.#unmark(volumeId);
    } catch (error) {
      const message = `a part of ${directory} could not be removed; the next start tries again`;
      this.#log.warn({ volumeId, err: error }, message);
    }
  }

  /**
   * Removes the volume's files. Makes it a bucket first, because closing the bucket drops its records of files and open
   * uploads.
   */
  async #sweep(volumeId: string): Promise<void> {
    const directory = this.#directoryOf(volumeId);
    if (existsSync(directory)) await this.#openBucket(volumeId, directory);
    await this.#clear(volumeId);
  }

  async #reopen(volumeId: string): Promise<void> {
    const directory = this.#directoryOf(volumeId);
    try {
      if (!existsSync(directory)) {
        makeDirectoryDurably(directory);
        this.#log.warn({ volumeId }, `${directory} was gone: the network volume is empty now`);
      }
    } catch (error) {
      this.#log.error({ volumeId, err: error }, `${directory} cannot be made`);
    }
    await this.#openBucket(volumeId, directory);
  }

  /** A volume without its bucket still serves the workers. */
  async #openBucket(name: string, directory: string): Promise<void> {
    try {
      await this.#buckets?.volumeBucket(name, directory);
    } catch (error) {
      this.#log.error({ bucket: name, err: error }, `${directory} cannot be a bucket`);
    }
  }

  async #onDisk(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      throw fromFileSystem(error, this.#root);
    });
  }
}
