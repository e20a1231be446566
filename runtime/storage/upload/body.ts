/** Turns the body of an upload into bytes, or into a stream of bytes. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import { Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { fileURLToPath } from "node:url";
import type { FileBody, UploadBody } from "../contract.ts";
import type { Body } from "../object-store.ts";

/** Bytes of one read of a file. The reads are larger than a file stream's default. */
const FILE_PIECE_BYTES = 1_000_000;

/**
 * Opens a file, but reads nothing yet.
 *
 * @throws TypeError if it cannot be uploaded
 * @throws the file system's error if a file cannot be opened
 */
export async function openBody(body: UploadBody): Promise<Body> {
  if (typeof body === "string") return { kind: "bytes", bytes: Buffer.from(body) };
  if (body instanceof ArrayBuffer) return { kind: "bytes", bytes: new Uint8Array(body) };
  if (ArrayBuffer.isView(body)) {
    const { buffer, byteOffset, byteLength } = body;
    return { kind: "bytes", bytes: Buffer.from(buffer, byteOffset, byteLength) };
  }
  if (body instanceof URL) return openFile(body);
  if (isFileBody(body)) return openFile(body.file);
  if (body instanceof Blob) return fromStream(fromWeb(body.stream()), body.size);
  if (body instanceof Readable) {
    if (body.destroyed || body.readableEnded) throw spent();
    return fromStream(body);
  }
  if (body instanceof ReadableStream) {
    if (body.locked) throw spent();
    return fromStream(fromWeb(body));
  }
  if (isAsyncIterable(body)) return fromStream(Readable.from(body));
  throw new TypeError(
    "The body of an upload must be a string, bytes, a Blob, { file: path }, a file: URL, a stream or an async iterable.",
  );
}

async function openFile(file: string | URL): Promise<Body> {
  if (file instanceof URL && file.protocol !== "file:") {
    throw new TypeError(`Only a file: URL can be uploaded, not an ${file.protocol} one.`);
  }
  const path = file instanceof URL ? fileURLToPath(file) : file;
  const handle = await fs.promises.open(path);
  const stats = await handle.stat();
  if (!stats.isFile()) {
    await handle.close();
    throw new TypeError(`${path} is no file.`);
  }
  const stream = handle.createReadStream({ highWaterMark: FILE_PIECE_BYTES });
  return fromStream(stream, stats.size);
}

function fromStream(stream: Readable, sizeBytes?: number): Body {
  return { kind: "stream", stream, ...(sizeBytes === undefined ? {} : { sizeBytes }) };
}

/** The global type and that of `node:stream/web` are one class with two declarations. */
function fromWeb(stream: ReadableStream): Readable {
  return Readable.fromWeb(stream as WebStream);
}

function isFileBody(body: unknown): body is FileBody {
  if (typeof body !== "object" || body === null || !("file" in body)) return false;
  return typeof body.file === "string" || body.file instanceof URL;
}

function isAsyncIterable(body: unknown): body is AsyncIterable<Uint8Array | string> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

function spent(): TypeError {
  return new TypeError(
    "The stream has a reader, or was read already: an upload needs an unused one.",
  );
}
