/** Removes leftovers of jobs after the end of their process: directories, and unfinished uploads. */
import os from "node:os";
import path from "node:path";
import { clearLeftovers, removeAll } from "../leftovers/clear-leftovers.ts";
import { ownedName } from "../leftovers/owner.ts";
import { REPORT, type UploadClosedHead } from "../pipe/frame-kinds.ts";
import type { Frame } from "../pipe/frames.ts";
import type { OpenUpload } from "../protocol/open-upload.ts";

const DIRECTORY_KIND = "sv-jobs";

export interface LeftoverOptions {
  /** Aborts an upload that its process left open. Never rejects. */
  readonly abortUpload: (upload: OpenUpload) => Promise<void>;
}

/** Runs in the supervisor, so that leftovers are removed however the handler process ends. */
export class JobLeftovers {
  readonly #abortUpload: LeftoverOptions["abortUpload"];
  #tempRoot: string | undefined;
  /** Invocations that have made their directory. */
  readonly #directories = new Set<number>();
  /** The unfinished uploads of each invocation. */
  readonly #uploads = new Map<number, Map<string, OpenUpload>>();
  readonly #removals = new Set<Promise<void>>();
  #clearing: Promise<void> | undefined;

  constructor({ abortUpload }: LeftoverOptions) {
    this.#abortUpload = abortUpload;
  }

  /** Removes the directories that killed supervisors have left. Idempotent. */
  clearOldOnes(): void {
    this.#clearing ??= clearLeftovers(os.tmpdir(), DIRECTORY_KIND);
  }

  /** Parent of the invocations' directories. The first invocation creates it. */
  get tempRoot(): string {
    // Loaded here, because a static import would delay the start of the handler process.
    const { randomUUID } = process.getBuiltinModule("node:crypto");
    this.#tempRoot ??= path.join(os.tmpdir(), `${ownedName(DIRECTORY_KIND)}-${randomUUID()}`);
    return this.#tempRoot;
  }

  /** Handles an invocation's report about a new or removed leftover. */
  heard({ kind, slot, head }: Frame): void {
    if (kind === REPORT.tempDir) {
      this.#directories.add(slot);
      return;
    }
    const uploads = this.#uploads.get(slot) ?? new Map<string, OpenUpload>();
    this.#uploads.set(slot, uploads);
    // The handler process's own program writes all heads, so they are valid.
    if (kind === REPORT.uploadOpened) {
      const upload = JSON.parse(head) as OpenUpload;
      uploads.set(upload.uploadId, upload);
    } else uploads.delete((JSON.parse(head) as UploadClosedHead).uploadId);
  }

  /**
   * Removes the leftovers of an invocation that is over. An invocation ends its own uploads; remaining ones belong to a process
   * that ended before.
   */
  remove(slot: number): void {
    if (this.#directories.delete(slot))
      this.#track(removeAll(path.join(this.tempRoot, String(slot))));
    const left = this.#uploads.get(slot)?.values() ?? [];
    this.#uploads.delete(slot);
    for (const upload of left) this.#track(this.#abortUpload(upload));
  }

  /** Removes everything after the last invocation. */
  async close(): Promise<void> {
    await Promise.all([this.#clearing, ...this.#removals]);
    if (this.#tempRoot !== undefined) await removeAll(this.#tempRoot);
  }

  #track(removal: Promise<void>): void {
    this.#removals.add(removal);
    void removal.then(() => this.#removals.delete(removal));
  }
}
