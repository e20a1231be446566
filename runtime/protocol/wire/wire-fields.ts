/** Readers of single protobuf fields. Each returns a valid value or throws a WireError. */
import { Buffer } from "node:buffer";
import type { LeaseRef } from "../outcome.ts";
import { WireError } from "./wire-error.ts";

/** A string that must not be empty. */
export function requiredText(value: string | undefined, field: string): string {
  if (value === undefined || value === "") throw new WireError(field, "is missing");
  return value;
}

/** A whole number of at least 1. */
export function requiredCount(value: number | undefined, field: string): number {
  if (value === undefined || value < 1) throw new WireError(field, "is missing or zero");
  return value;
}

/** JSON text is never empty, so an empty field is a missing one. */
export function requiredBytes(value: Uint8Array | undefined, field: string): Uint8Array {
  if (value === undefined || value.byteLength === 0) throw new WireError(field, "is missing");
  return value;
}

/** A required message. */
export function required<T>(value: T | undefined, field: string): T {
  if (value === undefined) throw new WireError(field, "is missing");
  return value;
}

/** Both halves of a lease reference. */
export function requiredLease(
  message: { readonly jobId?: string | undefined; readonly leaseToken?: string | undefined },
  field: string,
): LeaseRef {
  return {
    jobId: requiredText(message.jobId, `${field}.job_id`),
    leaseToken: requiredText(message.leaseToken, `${field}.lease_token`),
  };
}

/** A Buffer over the memory of `bytes`, for the generated code. */
export function asBuffer(bytes: Uint8Array): Buffer {
  if (Buffer.isBuffer(bytes)) return bytes;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
