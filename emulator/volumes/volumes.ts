/** The directories of volumes: created and removed with their records, each served as a bucket. */
import fs from "node:fs/promises";
import { existsSync } from "node:fs";
import path from "node:path";
import { WORKER_ENV } from "../../runtime/protocol/worker-env.ts";
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

/** Behind an endpoint's id: the bucket of its local volume. No endpoint's own bucket has a dot in its name. */
const LOCAL_BUCKET = ".volume";

export interface VolumesOptions {
  /** Parent of the directories of network volumes, by id; created with the first. */
  readonly directory: string;
  /** Makes directories buckets; undefined where there is no object store. */
  readonly buckets: Pick<DiskObjectStore, "volumeBucket" | "dropVolumeBucket"> | undefined;
  readonly log: EngineLog;
}

/** The removals of a volume that are under way. */
interface Removal {
  count: number;
  /** Whether one of them set the mark. */
  isMarked: boolean;
}

/** A directory that was to be an endpoint's volume cannot be used; the message says why. */
export class VolumeUnusableError extends Error {
  override readonly name = "VolumeUnusableError";
}

export class Volumes implements VolumeFiles {
  readonly #root: string;
  readonly #buckets: VolumesOptions["buckets"];
  readonly #log: EngineLog;
  readonly #sync: DirectorySync;
  /** By endpoint: the user's directories, which are never removed here. */
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
        `there is no network volume to ${directory}: it stays as it is`,
      );
    }
  }

  /**
   * Call this once at the start: directories given to handlers, created if missing, become their endpoints' volumes and
   * buckets.
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

  /** The variables for a worker of the endpoint: with them its handler finds the files. */
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
      // Others go by the mark.
      if (removal.count === 1 && removal.isMarked) await this.#unmark(volumeId);
      throw error;
    }
  }

  /** True if it was not marked before. */
  async #markRemoval(volumeId: string): Promise<boolean> {
    try {
      return await this.#mark(volumeId);
    } catch (error) {
      // On a full disk above all it must be possible to delete something.
      this.#log.warn({ volumeId, err: error }, "the volume cannot be marked as being deleted");
      return false;
    }
  }

  #directoryOf(volumeId: string): string {
    return path.join(this.#root, volumeId);
  }

  /** Durable. Returns false if it is already marked, by another deletion. */
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
      const message = `${directory} could not be removed whole; the next start tries again`;
      this.#log.warn({ volumeId, err: error }, message);
    }
  }

  /** What is known of the files and open uploads of a bucket is forgotten with it, so it has to be one again first. */
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
