/** The multipart uploads that jobs have begun, and the end of those whose job is over. */
import type { OpenUpload } from "../protocol/open-upload.ts";

/** An invocation ends its own uploads. What is left when it is over belonged to a process that could not. */
export class OpenUploads {
  readonly #abort: (upload: OpenUpload) => Promise<void>;
  readonly #bySlot = new Map<number, Map<string, OpenUpload>>();
  readonly #aborts = new Set<Promise<void>>();

  /** @param abort ends an upload from here; does not reject */
  constructor(abort: (upload: OpenUpload) => Promise<void>) {
    this.#abort = abort;
  }

  opened(slot: number, upload: OpenUpload): void {
    const ofSlot = this.#bySlot.get(slot) ?? new Map<string, OpenUpload>();
    this.#bySlot.set(slot, ofSlot.set(upload.uploadId, upload));
  }

  closed(slot: number, uploadId: string): void {
    this.#bySlot.get(slot)?.delete(uploadId);
  }

  /** The invocation is over, one way or another. */
  abortThoseOf(slot: number): void {
    const left = this.#bySlot.get(slot);
    if (left === undefined) return;
    this.#bySlot.delete(slot);
    for (const upload of left.values()) {
      const abort = this.#abort(upload);
      this.#aborts.add(abort);
      void abort.then(() => this.#aborts.delete(abort));
    }
  }

  /** Resolves when none is being aborted any more. */
  async close(): Promise<void> {
    await Promise.all(this.#aborts);
  }
}
