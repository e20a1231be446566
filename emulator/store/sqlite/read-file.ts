/** Reading payload files: a part at once, or all of one slice by slice. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import type { OpenedPayload } from "../../core/opened-payload.ts";
import { SLICE_MAX_BYTES } from "../payload-in-hand.ts";
import { StoreUnusableError } from "../store.ts";
import { codeOf, fromFileSystem } from "./sqlite-error.ts";

/** What `read` answers of the file. @throws StoreUnusableError when it cannot be read or is missing */
export async function reading<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw fromFileSystem(error, file);
    throw new StoreUnusableError(`the payload file ${file} is missing; restore it from a copy`, {
      cause: error,
    });
  }
}

export async function readRange(
  file: string,
  offset: number,
  sizeBytes: number,
): Promise<Uint8Array> {
  await using handle = await fs.promises.open(file, "r");
  const bytes = Buffer.allocUnsafeSlow(sizeBytes);
  await fill(bytes, handle, file, offset);
  return bytes;
}

/** The open file outlives its name. */
export async function openFile(file: string, sizeBytes: number): Promise<OpenedPayload> {
  const handle = await fs.promises.open(file, "r");
  return {
    sizeBytes,
    slices: () => slicesOf(handle, file, sizeBytes),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function* slicesOf(
  handle: FileHandle,
  file: string,
  sizeBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const space = Buffer.allocUnsafeSlow(Math.min(SLICE_MAX_BYTES, sizeBytes));
  for (let at = 0; at < sizeBytes; at += SLICE_MAX_BYTES) {
    const slice = space.subarray(0, sizeBytes - at);
    await reading(file, () => fill(slice, handle, file, at));
    yield slice;
  }
}

/** Reads as many bytes as there is space for, from `offset` on. */
async function fill(
  space: Buffer,
  handle: FileHandle,
  file: string,
  offset: number,
): Promise<void> {
  for (let at = 0; at < space.length;) {
    const { bytesRead } = await handle.read(space, at, space.length - at, offset + at);
    if (bytesRead === 0) throw new StoreUnusableError(`the payload file ${file} is too short`);
    at += bytesRead;
  }
}
