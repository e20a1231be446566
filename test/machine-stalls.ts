/** Measures standstills of the machine itself, so that time limits can exclude them. */
import fs from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { temporaryTree } from "./temporary-tree.ts";

const EVERY_MS = 20;
/** Maximum delay of a busy machine; more means a machine that was paused, or a disk that did not answer. */
const STALL_MS = 250;

/** From `watch` on: waits a moment and writes a byte to the disk, again and again, and adds up the delays. */
export class MachineStalls implements AsyncDisposable {
  #ended = false;
  #stalledMs = 0;
  #turnBeganAt = performance.now();
  readonly #watching: Promise<void>;

  private constructor(file: fs.FileHandle) {
    this.#watching = this.#watch(file);
  }

  static async watch(): Promise<MachineStalls> {
    await using tree = await temporaryTree({ witness: "" });
    return new MachineStalls(await fs.open(tree.path("witness"), "w"));
  }

  /** Milliseconds, including a stall that is not over. */
  get ms(): number {
    return this.#stalledMs + this.#lateMs();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    await this.#watching;
  }

  async #watch(file: fs.FileHandle): Promise<void> {
    await using witness = file;
    while (!this.#ended) {
      await wait(EVERY_MS);
      await witness.write(".", 0);
      await witness.datasync();
      this.#stalledMs += this.#lateMs();
      this.#turnBeganAt = performance.now();
    }
  }

  #lateMs(): number {
    const lateMs = performance.now() - this.#turnBeganAt - EVERY_MS;
    return lateMs > STALL_MS ? lateMs : 0;
  }
}
