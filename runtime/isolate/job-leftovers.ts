/** Removes what jobs leave behind when their process dies: directories, and unfinished uploads. */
import { REPORT, type UploadClosedHead } from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import type { OpenUpload } from "../protocol/open-upload.ts";
import { JobDirectories } from "./job-directories.ts";
import { OpenUploads } from "./open-uploads.ts";

export interface LeftoverOptions {
  /** Ends an upload that its process left open; does not reject. */
  readonly abortUpload: (upload: OpenUpload) => Promise<void>;
}

export class JobLeftovers {
  readonly #directories = new JobDirectories();
  readonly #uploads: OpenUploads;

  constructor({ abortUpload }: LeftoverOptions) {
    this.#uploads = new OpenUploads(abortUpload);
  }

  /** Removes the directories that supervisors which were killed have left. Idempotent. */
  clearOldOnes(): void {
    this.#directories.clearLeftovers();
  }

  /** The directory in which each invocation makes its own. */
  get tempRoot(): string {
    return this.#directories.root;
  }

  /** An invocation tells of something that is to be removed, or is gone already. */
  heard({ kind, slot, head }: Frame): void {
    // Every head was written by the handler process's own program.
    if (kind === REPORT.tempDir) this.#directories.made(slot);
    else if (kind === REPORT.uploadOpened)
      this.#uploads.opened(slot, JSON.parse(head) as OpenUpload);
    else this.#uploads.closed(slot, (JSON.parse(head) as UploadClosedHead).uploadId);
  }

  /** The invocation is over, one way or another. */
  remove(slot: number): void {
    this.#directories.remove(slot);
    this.#uploads.abortThoseOf(slot);
  }

  /** Nothing runs any more: what is left goes. */
  async close(): Promise<void> {
    await Promise.all([this.#directories.close(), this.#uploads.close()]);
  }
}
