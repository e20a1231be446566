/** The checksum of an object made of parts: one over those of its parts, or one over the whole. */
import { startChecksum } from "../body/running-checksum.ts";
import type { Checksum, Part, Upload, Uploads } from "../object-store.ts";
import { S3Error } from "../s3-error.ts";

/**
 * Undefined when the upload was begun without one, or parts have come without theirs.
 *
 * @param given by the client for the whole object
 * @throws S3Error BadDigest when that is wrong
 */
export async function uploadChecksum(
  uploads: Uploads,
  upload: Upload,
  parts: readonly Part[],
  given: Checksum | undefined,
): Promise<Checksum | undefined> {
  const kind = upload.checksum;
  if (!kind) return undefined;
  const found =
    kind.type === "COMPOSITE"
      ? await composite(kind.algorithm, parts)
      : await whole(kind.algorithm, uploads, upload, parts);
  if (found && given && given.value !== found.value) {
    throw new S3Error("BadDigest", `the object's checksum is another than the request says`);
  }
  return found;
}

async function composite(
  algorithm: Checksum["algorithm"],
  parts: readonly Part[],
): Promise<Checksum | undefined> {
  const running = await startChecksum(algorithm);
  for (const { checksum } of parts) {
    if (checksum?.algorithm !== algorithm) return undefined;
    running.update(Buffer.from(checksum.value, "base64"));
  }
  const value = Buffer.from(await running.digest()).toString("base64");
  return { algorithm, value: `${value}-${parts.length}` };
}

async function whole(
  algorithm: Checksum["algorithm"],
  uploads: Uploads,
  upload: Upload,
  parts: readonly Part[],
): Promise<Checksum> {
  const running = await startChecksum(algorithm);
  const numbers = parts.map(({ number }) => number);
  for await (const piece of uploads.read(upload, numbers)) running.update(piece);
  return { algorithm, value: Buffer.from(await running.digest()).toString("base64") };
}
