/** Port: the files of network volumes, which are made and removed together with a record. */

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
