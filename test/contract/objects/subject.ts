/** The subject of the object store's contract, and contents for it. */
import { createHash } from "node:crypto";
import type {
  Attributes,
  Bucket,
  ByteRange,
  ObjectStore,
  PutOptions,
} from "../../../emulator/objects/object-store.ts";

/** A bucket under test. Disposing of it closes its store and removes its files. */
export interface BucketSubject extends AsyncDisposable {
  readonly store: ObjectStore;
  readonly bucket: Bucket;
  /** Wall clock of the store, which a test sets (ms). */
  readonly clock: { now: number };
  /** The directory that the store must not leave when it writes. */
  readonly directory: string;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<Bucket>;
  /** Names of all files with content: of objects, of parts, and leftovers. */
  contentFiles(): Promise<readonly string[]>;
}

export type OpenBucket = () => Promise<BucketSubject>;

export const PLAIN: Attributes = { headers: {}, metadata: {} };

/** Bytes that differ from place to place. */
export function pattern(sizeBytes: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 1) bytes[at] = (at * 31 + (at >> 8) * 7 + seed * 13) & 255;
  return bytes;
}

/** Content in pieces of that size. */
export async function* inPieces(
  bytes: Uint8Array,
  pieceBytes = 65_536,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
  }
}

/** Content that is interrupted in the middle. */
export async function* brokenOff(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* inPieces(bytes.subarray(0, bytes.byteLength >> 1), 1_000);
  throw new Error("the sender has gone");
}

export async function put(
  bucket: Bucket,
  key: string,
  content: Uint8Array | string = "",
  options: Partial<PutOptions> = {},
) {
  return bucket.put(key, inPieces(Buffer.from(content)), { ...PLAIN, ...options });
}

export async function read(bucket: Bucket, key: string, range?: ByteRange): Promise<Buffer> {
  await using object = await bucket.open(key);
  const pieces: Uint8Array[] = [];
  for await (const piece of object.read(range)) pieces.push(piece as Uint8Array);
  return Buffer.concat(pieces);
}

export async function textAt(bucket: Bucket, key: string): Promise<string> {
  return (await read(bucket, key)).toString();
}

export async function keysOf(bucket: Bucket): Promise<readonly string[]> {
  const page = await bucket.list({ maxEntries: 1_000_000 });
  return page.items.map(({ key }) => key);
}

export function md5(bytes: Uint8Array | string): string {
  return createHash("md5").update(bytes).digest("hex");
}
