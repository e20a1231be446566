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

/** So many are remembered, for they are asked for several times with each job. */
const MOST_REMEMBERED = 10_000;
const remembered = new Map<string, number>();

export function partOf(endpointId: string): number {
  const known = remembered.get(endpointId);
  if (known !== undefined) return known;
  const part = (createHash("sha256").update(Buffer.from(endpointId)).digest()[0] ?? 0) % PARTS;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(endpointId, part);
  return part;
}
