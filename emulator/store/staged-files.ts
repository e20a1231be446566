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

type FilePayload = Payload & { readonly kind: "file" };
type FilePlace = Pick<FilePayload, "name" | "offset">;

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

  /**
   * Takes all payloads of a batch while `store` stores it. If it is not stored, they can be taken again.
   *
   * @throws BatchRefusedError when a payload is not staged, or was taken before; what `store` throws
   */
  async takeFor<T>(
    changes: readonly Change[],
    store: (taken: readonly FilePayload[]) => Promise<T>,
  ): Promise<T> {
    const taken: FilePayload[] = [];
    try {
      for (const made of changes) {
        const payload = payloadIn(made);
        if (payload?.kind !== "file") continue;
        this.#take(payload);
        taken.push(payload);
      }
      const stored = await store(taken);
      for (const { name } of taken) this.#keep(name);
      return stored;
    } catch (error) {
      for (const payload of taken) this.#giveBack(payload);
      throw error;
    }
  }

  /** Whether payloads of the file may still be stored. */
  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** Discards a payload, unless a batch has taken it. If this removes the file, resolves afterwards. */
  async discard({ name, offset }: FilePlace): Promise<void> {
    const file = this.#files.get(name);
    if (!file?.open.delete(offset)) return;
    this.#settle(name, file);
    if (!this.#files.has(name) && !file.kept) await this.#remove(name);
  }

  #take({ name, offset }: FilePlace): void {
    const file = this.#files.get(name);
    if (!file?.open.delete(offset)) throw payloadNotStaged(name);
    file.taken += 1;
  }

  #giveBack({ name, offset }: FilePlace): void {
    const file = this.#files.get(name);
    if (!file) return;
    file.taken -= 1;
    file.open.add(offset);
  }

  #keep(name: string): void {
    const file = this.#files.get(name);
    if (!file) return;
    file.taken -= 1;
    file.kept = true;
    this.#settle(name, file);
  }

  #settle(name: string, file: StagedFile): void {
    if (file.open.size === 0 && file.taken === 0) this.#files.delete(name);
  }
}

function payloadIn(made: Change): Payload | undefined {
  if (made.type === "put-payload") return made.payload;
  return made.type === "append-chunks" ? made.batch.lines : undefined;
}
