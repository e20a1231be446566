/** Files that were written, whose payloads no batch has stored yet: a file goes when none of its payloads is wanted any more. */
import type { Change } from "./batch.ts";
import { payloadNotStaged } from "./caller-defects.ts";
import type { Payload } from "./payload.ts";

interface StagedFile {
  /** Where the payloads begin that no batch has taken. */
  readonly open: Set<number>;
  /** Payloads taken by a batch that is not stored yet. */
  taken: number;
  /** True once a committed row refers to the file. */
  kept: boolean;
}

export type FilePayload = Payload & { readonly kind: "file" };

/** One of the payloads in a file. */
export interface FilePlace {
  readonly name: string;
  readonly offset: number;
}

export class StagedFiles {
  readonly #files = new Map<string, StagedFile>();
  readonly #remove: (name: string) => Promise<void>;

  /** `remove` is called with each file none of whose payloads was stored. */
  constructor(remove: (name: string) => Promise<void>) {
    this.#remove = remove;
  }

  add(name: string, offsets: readonly number[]): void {
    this.#files.set(name, { open: new Set(offsets), taken: 0, kept: false });
  }

  /** Of a batch that is to be stored: answers what it refers to. @throws BatchRefusedError as `take`, and then none is taken */
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

  /** Whether some of its payloads may still be wanted. */
  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** The batch that is to be stored refers to the payload. @throws Error when it is not staged, or was taken before */
  take({ name, offset }: FilePlace): void {
    const file = this.#files.get(name);
    if (!file?.open.delete(offset)) throw payloadNotStaged(name);
    file.taken += 1;
  }

  /** The batch that took the payload was not stored. */
  giveBack({ name, offset }: FilePlace): void {
    const file = this.#files.get(name);
    if (!file) return;
    file.taken -= 1;
    file.open.add(offset);
  }

  /** The batch that took a payload of the file is stored. */
  keep(name: string): void {
    const file = this.#files.get(name);
    if (!file) return;
    file.taken -= 1;
    file.kept = true;
    this.#settle(name, file);
  }

  /** Nobody will store the payload; does nothing to one that a batch has taken. Resolves when its file is gone, if it goes. */
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
