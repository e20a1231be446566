/** Scans a JSON text that is there as a whole, for callers that do not receive it in chunks. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { JsonScanner, type ScanOptions, type ScanResult } from "./scanner.ts";

/** Scans `bytes` as one text. */
export function scanJson(bytes: Uint8Array, options?: ScanOptions): ScanResult {
  const scanner = new JsonScanner(options);
  scanner.push(bytes);
  return scanner.end();
}

/** True when `bytes` are one JSON value by the rules of {@link JsonScanner}; for what workers send. */
export function isValidJson(bytes: Uint8Array, maxDepth: number = LIMITS.jsonMaxDepth): boolean {
  return scanJson(bytes, { maxDepth, keep: [] }).ok;
}
