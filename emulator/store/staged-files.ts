/**
 * Tracks files with payloads that no batch has stored yet. A file is removed when none of its payloads can be stored any more.
 */
import type { Change } from "./batch.ts";
import { payloadNotStaged } from "./batch-refusals.ts";
import type { Payload } from "./payload.ts";

interface StagedFile {
  /** Offsets of payloads that no batch has taken. */
  readonly open: Set<number>;
  /** Number of payloads taken by a batch that is not stored yet. */
  taken: number;
  /** Whether a committed row names the file. */
  kept: boolean;
}

export type FilePayload = Payload & { readonly kind: "file" };

/** A payload in a file. */
export interface FilePlace {
  readonly name: string;
  readonly offset: number;
}

export class StagedFiles {
  readonly #files = new Map<string, StagedFile>();
  readonly #remove: (name: string) => Promise<void>;

  /** @param remove called with each file that has no stored payload */
  constructor(remove: (name: string) => Promise<void>) {
    this.#remove = remove;
  }

  add(name: string, offsets: readonly number[]): void {
    this.#files.set(name, { open: new Set(offsets), taken: 0, kept: false });
  }

  /** Takes and returns all payloads of a batch that is to be stored. @throws BatchRefusedError as `take`; then none is taken */
  takeAll(changes: readonly Change[]): readonly FilePayload[] {
    const taken: FilePayload[] = [];
    try {
      for (const made of changes) {
        const payload = payloadIn(made);
        if (payload?.kind !== "file") continue;
        this.take(payload);
        taken.push(payload);
      }
    } catch (error) {
      for (const payload of taken) this.giveBack(payload);
      throw error;
    }
    return taken;
  }

  /** Whether payloads of the file may still be stored. */
  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** Takes a payload for a batch that is to be stored. @throws BatchRefusedError when it is not staged, or was taken before */
  take({ name, offset }: FilePlace): void {
    const file = this.#files.get(name);
    if (!file?.open.delete(offset)) throw payloadNotStaged(name);
    file.taken += 1;
  }

  /** Call this if the batch that took the payload was not stored. */
  giveBack({ name, offset }: FilePlace): void {
    const file = this.#files.get(name);
    if (!file) return;
    file.taken -= 1;
    file.open.add(offset);
  }

  /** Call this if the batch that took a payload of the file is stored. */
  keep(name: string): void {
    const file = this.#files.get(name);
    if (!file) return;
    file.taken -= 1;
    file.kept = true;
    this.#settle(name, file);
  }

  /** Discards a payload, unless a batch has taken it. If this removes the file, resolves afterwards. */
  async discard({ name, offset }: FilePlace): Promise<void> {
    const file = this.#files.get(name);
    if (!file?.open.delete(offset)) return;
    this.#settle(name, file);
    if (!this.#files.has(name) && !file.kept) await this.#remove(name);
  }

  #settle(name: string, file: StagedFile): void {
    if (file.open.size === 0 && file.taken === 0) this.#files.delete(name);
  }
}

function payloadIn(made: Change): Payload | undefined {
  if (made.type === "put-payload") return made.payload;
  return made.type === "append-chunks" ? made.batch.lines : undefined;
}
