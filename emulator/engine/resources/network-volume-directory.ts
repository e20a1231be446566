/** Network volumes as last committed, in memory; and the port to their files. */
import type { NetworkVolume } from "../../core/resources/network-volume.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { Store } from "../../store/store.ts";

/** The files of network volumes, which are made and removed together with a record. */
export interface VolumeFiles {
  /**
   * Makes a place for the volume's files, empty and durable, and then its record, by `commit`. If either fails there is
   * neither; also if the process ends in between, at the next start.
   *
   * @throws StoreFullError, StoreUnusableError for the place; what `commit` throws
   */
  create(volumeId: string, commit: () => Promise<void>): Promise<void>;
  /**
   * Deletes the volume's record, by `commit`, and then its files; those that cannot be removed now are at the next start.
   *
   * @throws StoreFullError, StoreUnusableError; what `commit` throws, and then the files are as they were
   */
  remove(volumeId: string, commit: () => Promise<void>): Promise<void>;
}

/** Volumes without files. */
export const NO_VOLUME_FILES: VolumeFiles = {
  create: (_id, commit) => commit(),
  remove: (_id, commit) => commit(),
};

export class NetworkVolumeDirectory {
  readonly #volumes = new Map<string, NetworkVolume>();

  static async load(store: Store): Promise<NetworkVolumeDirectory> {
    const directory = new NetworkVolumeDirectory();
    for (const volume of await store.read((view) => view.records("networkVolume"))) {
      directory.keep(volume);
    }
    return directory;
  }

  all(): readonly NetworkVolume[] {
    return [...this.#volumes.values()];
  }

  find(id: string): NetworkVolume | undefined {
    return this.#volumes.get(id);
  }

  /** @throws ServiceError network_volume_not_found */
  volume(id: string): NetworkVolume {
    const volume = this.#volumes.get(id);
    if (!volume) throw volumeNotFound(id);
    return volume;
  }

  /** Call it after the commit that stored it. */
  keep(volume: NetworkVolume): void {
    this.#volumes.set(volume.id, volume);
  }

  drop(id: string): void {
    this.#volumes.delete(id);
  }
}

export function volumeNotFound(id: string): ServiceError {
  return new ServiceError("network_volume_not_found", `there is no network volume "${id}"`);
}
