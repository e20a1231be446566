/**
 * The parts that all endpoints are spread over. Who has claimed a part alone writes what belongs to it; how many there are,
 * and which endpoint is in which, is stored: never change it.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

export const PARTS = 64;

export const ALL_PARTS: readonly number[] = Array.from({ length: PARTS }, (_, part) => part);

/** What belongs to no endpoint belongs to this one. */
export const SERVICE_PART = 0;

export function partOf(endpointId: string): number {
  return (createHash("sha256").update(Buffer.from(endpointId)).digest()[0] ?? 0) % PARTS;
}
