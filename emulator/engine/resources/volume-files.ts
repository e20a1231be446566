/** Port: files of network volumes, which are created and removed together with a record. */

export interface VolumeFiles {
  /**
   * Creates an empty, durable place for the volume's files, and then its record, with `commit`. If either fails there is
   * neither; if the process ends in between, the next start removes the rest.
   * @throws StoreFullError, StoreUnusableError for the place; errors of `commit`
   */
  create(volumeId: string, commit: () => Promise<void>): Promise<void>;
  /**
   * Deletes the volume's record, with `commit`, and then its files; the next start removes files that cannot be removed now.
   * @throws StoreFullError, StoreUnusableError; errors of `commit`, and then the files are unchanged
   */
  remove(volumeId: string, commit: () => Promise<void>): Promise<void>;
}

export const NO_VOLUME_FILES: VolumeFiles = {
  create: (_id, commit) => commit(),
  remove: (_id, commit) => commit(),
};
