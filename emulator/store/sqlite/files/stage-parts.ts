/** Decides what of a payload lies in a file. */
import type { Payload } from "../../payload.ts";
import type { PayloadFiles } from "./payload-files.ts";

/** Above this, writing a file costs less than writing the bytes twice through the database, and blocks nobody. */
const PAYLOAD_FILE_MIN_BYTES = 256_000;

/** Together they are a file or none of them is. */
export async function stageParts(
  files: PayloadFiles,
  parts: readonly Uint8Array[],
): Promise<Payload[]> {
  const sizeBytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (sizeBytes < PAYLOAD_FILE_MIN_BYTES) return parts.map((bytes) => ({ kind: "inline", bytes }));
  return (await files.stage(parts)).map((range) => ({ kind: "file", ...range }));
}
