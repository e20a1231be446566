/** Writes content to a new file in bounded memory, and resolves when it is on the disk. */
import { createHash } from "node:crypto";
import { open, rm } from "node:fs/promises";
import type { Content } from "../object-store.ts";
import { asStoreError } from "./disk-error.ts";

export interface Written {
  readonly sizeBytes: number;
  /** MD5 of the content, in hex. */
  readonly md5: string;
}

/**
 * Resolves when the bytes are durable, but not yet the file's name. After a failure there is no file.
 *
 * @throws S3Error InsufficientStorage; whatever `content` throws
 */
export async function writeContent(file: string, content: Content, mode: number): Promise<Written> {
  const hash = createHash("md5");
  let sizeBytes = 0;
  async function* watched() {
    for await (const chunk of content) {
      hash.update(chunk);
      sizeBytes += chunk.byteLength;
      yield chunk;
    }
  }
  try {
    const handle = await open(file, "wx", mode);
    try {
      await handle.writeFile(watched());
      await handle.datasync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    throw asStoreError(error);
  }
  return { sizeBytes, md5: hash.digest("hex") };
}
