/** Reads payload files, at once or slice by slice; hands on nothing before its length and checksum were compared. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { OpenedPayload } from "../../../core/jobs/opened-payload.ts";
import { SLICE_MAX_BYTES } from "../../payload-in-hand.ts";
import type { FileContent } from "../../lying-bytes.ts";
import { PayloadDamagedError } from "../../payload.ts";
import { checksumInSlices, contentChecksum } from "../../rows/checksum.ts";
import { codeOf, fromFileSystem } from "../../../sqlite/sqlite-error.ts";

/** All of it. @throws PayloadDamagedError; StoreUnusableError when the disk fails */
export function readContent(file: string, content: FileContent): Promise<Uint8Array> {
  return reading(file, content, async () => {
    await using handle = await fs.promises.open(file, "r");
    const bytes = Buffer.allocUnsafeSlow(content.sizeBytes);
    await readAt(bytes, handle, content, 0);
    refuseOther(await checksumInSlices(bytes), content);
    return bytes;
  });
}

/**
 * Opens it once all of it was compared. The open file outlives its name.
 *
 * @throws PayloadDamagedError; StoreUnusableError when the disk fails
 */
export function openContent(file: string, content: FileContent): Promise<OpenedPayload> {
  return reading(file, content, async () => {
    const handle = await fs.promises.open(file, "r");
    try {
      await compare(handle, content);
    } catch (error) {
      await handle.close();
      throw error;
    }
    return {
      sizeBytes: content.sizeBytes,
      slices: () => slicesOf(handle, file, content),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  });
}

async function reading<T>(file: string, content: FileContent, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof PayloadDamagedError) throw error;
    if (codeOf(error) !== "ENOENT") throw fromFileSystem(error, file);
    throw damaged(content, `is missing: there is no file ${shown(content)}`, error);
  }
}

async function* slicesOf(
  handle: FileHandle,
  file: string,
  content: FileContent,
): AsyncGenerator<Uint8Array, void, undefined> {
  const space = Buffer.allocUnsafeSlow(Math.min(SLICE_MAX_BYTES, content.sizeBytes));
  for (let at = 0; at < content.sizeBytes; at += SLICE_MAX_BYTES) {
    const slice = space.subarray(0, content.sizeBytes - at);
    await reading(file, content, () => readAt(slice, handle, content, at));
    yield slice;
  }
}

async function compare(handle: FileHandle, content: FileContent): Promise<void> {
  const slice = Buffer.allocUnsafeSlow(Math.min(SLICE_MAX_BYTES, content.sizeBytes));
  let checksum = 0;
  for (let at = 0; at < content.sizeBytes; at += slice.byteLength) {
    const part = slice.subarray(0, content.sizeBytes - at);
    await readAt(part, handle, content, at);
    checksum = contentChecksum(part, checksum);
  }
  refuseOther(checksum, content);
}

function refuseOther(checksum: number, content: FileContent): void {
  if (checksum !== content.checksum)
    throw damaged(content, `is damaged: its file ${shown(content)} does not fit its checksum`);
}

function damaged(
  { place, checksum }: FileContent,
  finding: string,
  cause?: unknown,
): PayloadDamagedError {
  return new PayloadDamagedError(place, finding, { checksum, cause });
}

/** The file within the data directory. */
function shown({ name }: FileContent): string {
  return `payloads/${name}`;
}

/** Fills `into` from the content's byte `at` on. */
async function readAt(
  into: Buffer,
  handle: FileHandle,
  content: FileContent,
  at: number,
): Promise<void> {
  for (let filled = 0; filled < into.byteLength;) {
    const left = into.byteLength - filled;
    const { bytesRead } = await handle.read(into, filled, left, content.offset + at + filled);
    if (bytesRead === 0)
      throw damaged(content, `is damaged: its file ${shown(content)} is too short`);
    filled += bytesRead;
  }
}
