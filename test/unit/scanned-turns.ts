/** Counts the JSON that is scanned in each turn of the event loop: a long turn delays everything else. */
import { vi } from "vitest";
import { JsonScanner } from "../../emulator/core/jobs/raw-json/scanner.ts";

export class ScannedTurns implements Disposable {
  readonly #bytes: number[] = [0];
  readonly #spy;
  #next: NodeJS.Immediate;

  constructor() {
    // Bound to the scanner that is called, below.
    // oxlint-disable-next-line typescript/unbound-method
    const push = JsonScanner.prototype.push;
    const turns = this.#bytes;
    this.#spy = vi.spyOn(JsonScanner.prototype, "push").mockImplementation(function pushed(
      this: JsonScanner,
      bytes,
    ) {
      turns[turns.length - 1] = (turns.at(-1) ?? 0) + bytes.length;
      return push.call(this, bytes);
    });
    const begin = () => {
      this.#next = setImmediate(begin);
      turns.push(0);
    };
    this.#next = setImmediate(begin);
  }

  /** Maximum scanned in one turn. */
  get mostBytes(): number {
    return Math.max(...this.#bytes);
  }

  /** Total scanned. */
  get totalBytes(): number {
    return this.#bytes.reduce((sum, bytes) => sum + bytes, 0);
  }

  [Symbol.dispose](): void {
    clearImmediate(this.#next);
    this.#spy.mockRestore();
  }
}
