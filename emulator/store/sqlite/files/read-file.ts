/** Reads payload files, as a whole or in slices. Their length and checksum are compared first. */
import { Buffer } from "node:buffer";
import type { OpenedPayload } from "../../../core/jobs/opened-payload.ts";
import { SLICE_MAX_BYTES } from "../../payload-in-hand.ts";
import type { FileContent } from "../../stored-bytes.ts";
import { PayloadDamagedError } from "../../payload.ts";
import { checksumInSlices, contentChecksum } from "../../rows/content-checksum.ts";
import { codeOf, fromFileSystem } from "../../../sqlite/sqlite-error.ts";
import type { FileUse } from "./shared-files.ts";

/** Reads the whole content. @throws PayloadDamagedError; StoreUnusableError when the disk fails */
export async function readContent(use: FileUse, content: FileContent): Promise<Uint8Array> {
  await using file = use;
  const bytes = Buffer.allocUnsafeSlow(content.sizeBytes);
  await readAt(bytes, file, content, 0);
  refuseOther(await checksumInSlices(bytes), content);
  return bytes;
}

/**
 * Compares the content with its checksum, and opens it. It stays readable after the file is removed.
 *
 * @throws PayloadDamagedError; StoreUnusableError when the disk fails
 */
export async function openContent(use: FileUse, content: FileContent): Promise<OpenedPayload> {
  const { offset, sizeBytes, checksum } = content;
  try {
    await use.compared(`${offset} ${sizeBytes} ${checksum}`, () => compare(use, content));
  } catch (error) {
    await use[Symbol.asyncDispose]();
    throw error;
  }
  return {
    sizeBytes,
    slices: () => slicesOf(use, content),
    [Symbol.asyncDispose]: () => use[Symbol.asyncDispose](),
  };
}

async function* slicesOf(
  file: FileUse,
  content: FileContent,
): AsyncGenerator<Uint8Array, void, undefined> {
  const space = file.slice();
  try {
    for (let at = 0; at < content.sizeBytes; at += SLICE_MAX_BYTES) {
      const slice = space.subarray(0, content.sizeBytes - at);
      await readAt(slice, file, content, at);
      yield slice;
    }
  } finally {
    file.giveBack(space);
  }
}

async function compare(file: FileUse, content: FileContent): Promise<void> {
  let checksum = 0;
  for await (const slice of slicesOf(file, content)) checksum = contentChecksum(slice, checksum);
  refuseOther(checksum, content);
}

function refuseOther(checksum: number, content: FileContent): void {
  if (checksum !== content.checksum)
    throw damaged(content, `is damaged: its file ${shown(content)} does not match its checksum`);
}

function damaged(
  { place, checksum }: FileContent,
  finding: string,
  cause?: unknown,
): PayloadDamagedError {
  return new PayloadDamagedError(place, finding, { checksum, cause });
}

/** Path of the file within the data directory. */
function shown({ name }: FileContent): string {
  return `payloads/${name}`;
}

/** Fills `into` with the content from byte `at` on. */
async function readAt(
  into: Buffer,
  file: FileUse,
  content: FileContent,
  at: number,
): Promise<void> {
  let filled: number;
  try {
    filled = await file.read(into, content.offset + at);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw fromFileSystem(error, file.path);
    throw damaged(content, `is missing: there is no file ${shown(content)}`, error);
  }
  if (filled < into.byteLength)
    throw damaged(content, `is damaged: its file ${shown(content)} is too short`);
}
