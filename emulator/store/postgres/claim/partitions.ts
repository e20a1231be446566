/**
 * All endpoints are spread over partitions. Only the owner of a partition writes its data. The number of partitions and the
 * partition of each endpoint are stored: never change them.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

export const PARTITIONS = 64;

export const ALL_PARTITIONS: readonly number[] = Array.from(
  { length: PARTITIONS },
  (_, partition) => partition,
);

/** Partition of everything that belongs to no endpoint. */
export const SERVICE_PARTITION = 0;

/** Maximum number of endpoints with a cached partition. Each job needs its partition several times. */
const MOST_REMEMBERED = 10_000;
const remembered = new Map<string, number>();

export function partitionOf(endpointId: string): number {
  const known = remembered.get(endpointId);
  if (known !== undefined) return known;
  const partition =
    (createHash("sha256").update(Buffer.from(endpointId)).digest()[0] ?? 0) % PARTITIONS;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(endpointId, partition);
  return partition;
}
