/** Scans a JSON text that is there as a whole, for callers that do not receive it in chunks. */
import { Buffer } from "node:buffer";
import { LINE_FEED } from "../../../../runtime/protocol/chunk-batch.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { JsonScanner, type ScanOptions, type ScanResult } from "./scanner.ts";

/** Between tokens it is whitespace to JSON, but ends a line for some readers. */
const CARRIAGE_RETURN = 0x0d;

/** Scans `bytes` as one text. */
export function scanJson(bytes: Uint8Array, options?: ScanOptions): ScanResult {
  const scanner = new JsonScanner(options);
  scanner.push(bytes);
  return scanner.end();
}

/**
 * True when `bytes` are `count` JSON values, each without line breaks, at most `maxLineBytes` long and followed by a
 * line feed.
 */
export function areJsonLines(bytes: Uint8Array, count: number, maxLineBytes: number): boolean {
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (lines.includes(CARRIAGE_RETURN)) return false;
  const scanner = new JsonScanner({ keep: [] });
  let start = 0;
  for (let line = 0; line < count; line += 1) {
    const end = lines.indexOf(LINE_FEED, start);
    if (end < 0 || end - start > maxLineBytes) return false;
    scanner.push(lines.subarray(start, end));
    if (!scanner.end().ok) return false;
    scanner.restart();
    start = end + 1;
  }
  return start === lines.length;
}

/** True when `bytes` are one JSON value by the rules of {@link JsonScanner}; for what workers send. */
export function isValidJson(bytes: Uint8Array, maxDepth: number = LIMITS.jsonMaxDepth): boolean {
  return scanJson(bytes, { maxDepth, keep: [] }).ok;
}
