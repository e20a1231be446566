/** Scans JSON texts that are there as a whole, for callers that do not receive them in chunks. */
import { LINE_FEED } from "../../../../runtime/protocol/chunk-batch.ts";
import type { JsonFault } from "./fault.ts";
import { JsonScanner, type ScanOptions, type ScanResult } from "./scanner.ts";

/** At most so much is scanned before others have their turn: some 2 ms for the densest text. */
export const SLICE_BYTES = 262_144;

/** Scans `bytes` as one text, however long that takes. */
export function scanJson(bytes: Uint8Array, options?: ScanOptions): ScanResult {
  const scanner = new JsonScanner(options);
  scanner.push(bytes);
  return scanner.end();
}

/** Scans texts one after another, and waits for `nextTurn` after each slice of them. */
export class SlicedScan {
  readonly #nextTurn: () => Promise<void>;
  #leftBytes = SLICE_BYTES;

  constructor(nextTurn: () => Promise<void>) {
    this.#nextTurn = nextTurn;
  }

  /** Scans `bytes` as one text. */
  async json(bytes: Uint8Array, options?: ScanOptions): Promise<ScanResult> {
    const scanner = new JsonScanner(options);
    await this.#push(scanner, bytes);
    return scanner.end();
  }

  /** True when `bytes` are one JSON value. */
  async isJson(bytes: Uint8Array): Promise<boolean> {
    return (await this.json(bytes, { keep: [] })).ok;
  }

  /**
   * True when `bytes` are `count` JSON values, each without line breaks, at most `maxLineBytes` long and followed by a
   * line feed.
   */
  async areJsonLines(bytes: Uint8Array, count: number, maxLineBytes: number): Promise<boolean> {
    const scanner = new JsonScanner({ keep: [], lines: true });
    if (bytes.at(-1) !== LINE_FEED || (await this.#push(scanner, bytes))) return false;
    return scanner.lineCount === count && scanner.longestLineBytes <= maxLineBytes;
  }

  async #push(scanner: JsonScanner, bytes: Uint8Array): Promise<JsonFault | undefined> {
    let fault: JsonFault | undefined;
    for (let at = 0; at < bytes.length && !fault;) {
      if (this.#leftBytes === 0) {
        await this.#nextTurn();
        this.#leftBytes = SLICE_BYTES;
      }
      const slice = bytes.subarray(at, at + this.#leftBytes);
      fault = scanner.push(slice);
      at += slice.length;
      this.#leftBytes -= slice.length;
    }
    return fault;
  }
}
