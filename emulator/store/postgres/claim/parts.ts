/**
 * The partitions that all endpoints are spread over. The owner of a partition alone writes its data. Their number and the partition
 * of an endpoint are stored: never change them.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

export const PARTS = 64;

export const ALL_PARTS: readonly number[] = Array.from({ length: PARTS }, (_, part) => part);

/** Partition of everything that belongs to no endpoint. */
export const SERVICE_PART = 0;

/** Maximum number of remembered endpoints: each job needs its partition several times. */
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
