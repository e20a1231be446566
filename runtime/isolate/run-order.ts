/** Writes the order that begins a job in the handler process. */
import { Buffer } from "node:buffer";
import type { RunHead } from "../pipe/frame-kinds.ts";
import type { HandedJob } from "../protocol/outcome.ts";

export function runOrder(
  { jobId, attempt, input, s3Config, traceparent }: HandedJob,
  remainingMs: number,
): { readonly head: RunHead; readonly payload: Uint8Array } {
  const head: RunHead = { jobId, attempt, remainingMs, ...(traceparent && { traceparent }) };
  if (s3Config === undefined) return { head, payload: input };
  return {
    head: { ...head, s3Bytes: s3Config.byteLength },
    payload: Buffer.concat([input, s3Config]),
  };
}
