/** Scans complete JSON texts, for callers that do not receive them in chunks. */
import { JsonScanner, type ScanOptions, type ScanResult } from "./scanner.ts";

/** Maximum size of a slice, after which other work gets its turn: some 2 ms for the densest text. */
export const SLICE_BYTES = 262_144;

/** Scans `bytes` as one text, without a pause. */
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

  /** Scans `bytes` as one text. Returns a promise only if it has to wait. */
  json(bytes: Uint8Array, options?: ScanOptions): ScanResult | Promise<ScanResult> {
    return this.scan(new JsonScanner(options), bytes);
  }

  /** Scans with a scanner of the caller. */
  scan(scanner: JsonScanner, bytes: Uint8Array): ScanResult | Promise<ScanResult> {
    if (bytes.length > this.#leftBytes) return this.#scanSlices(scanner, bytes);
    this.#leftBytes -= bytes.length;
    scanner.push(bytes);
    return scanner.end();
  }

  async #scanSlices(scanner: JsonScanner, bytes: Uint8Array): Promise<ScanResult> {
    for (let at = 0; at < bytes.length;) {
      if (this.#leftBytes === 0) {
        await this.#nextTurn();
        this.#leftBytes = SLICE_BYTES;
      }
      const slice = bytes.subarray(at, at + this.#leftBytes);
      if (scanner.push(slice)) break;
      at += slice.length;
      this.#leftBytes -= slice.length;
    }
    return scanner.end();
  }
}
