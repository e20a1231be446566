/**
 * Reads payloads and chunks from the rows of a store and from the files that the rows name. A payload may be deleted or replaced
 * between the read of the row and the read of the file.
 */
import { type ChunkBatch, type ChunkWindow, cutBatch } from "../../runtime/protocol/chunk-batch.ts";
import type { OpenedPayload } from "../core/jobs/opened-payload.ts";
import { payloadInHand } from "./payload-in-hand.ts";
import {
  type BatchWindow,
  PayloadDamagedError,
  type PayloadPlace,
  type PayloadSlot,
  type ReadableBatch,
  type ReadablePayload,
} from "./payload.ts";

/** Describes the content of a file, or of a part of it, as its row does. */
export interface FileContent {
  readonly name: string;
  readonly offset: number;
  readonly sizeBytes: number;
  readonly checksum: number;
  readonly place: PayloadPlace;
}

export type FileRange = Omit<FileContent, "place">;

/** Returns the ranges of consecutive parts in one file. */
export function rangesOf(
  name: string,
  parts: readonly Uint8Array[],
  checksums: readonly number[],
): FileRange[] {
  let end = 0;
  return parts.map(({ byteLength: sizeBytes }, index) => {
    const offset = end;
    end += sizeBytes;
    return { name, offset, sizeBytes, checksum: checksums[index] ?? 0 };
  });
}

/** The content of a row: the bytes, or the name of a file. The bytes are undefined if they do not match their checksum. */
export interface Found {
  readonly body: Uint8Array | string | undefined;
  readonly sizeBytes: number;
  readonly checksum: number;
}

export interface FoundBatch extends Found, Omit<ChunkBatch, "lines"> {
  /** Offset of the lines in the file. */
  readonly offset: number;
}

/** The rows and files of a store. */
export interface StoredBytes {
  payload(seq: number, slot: PayloadSlot): Promise<Found | undefined>;
  /** Batches with all chunks of the window, and perhaps more at either end. */
  chunks(seq: number, window: BatchWindow): Promise<readonly FoundBatch[]>;
  /** Reads from a file. Both methods throw PayloadDamagedError, also if the file was removed meanwhile. */
  file(content: FileContent): {
    bytes(): Promise<Uint8Array>;
    open(): Promise<OpenedPayload>;
  };
}

/** The queries of the port about payloads and chunks. */
export abstract class BodyReads {
  protected abstract readonly storedBytes: StoredBytes;

  async payload(seq: number, slot: PayloadSlot): Promise<ReadablePayload | undefined> {
    const found = await this.storedBytes.payload(seq, slot);
    if (found === undefined) return undefined;
    const { body, sizeBytes } = found;
    const place = { seq, slot };
    if (typeof body !== "string") return payloadInHand(refuseDamaged(found, place));
    const isNamed = async () => (await this.storedBytes.payload(seq, slot))?.body === body;
    const file = this.storedBytes.file({ ...found, name: body, offset: 0, place });
    return readable(file, sizeBytes, isNamed);
  }

  async chunks(seq: number, window: ChunkWindow): Promise<readonly ChunkBatch[]> {
    const found = await this.storedBytes.chunks(seq, window);
    const place = { seq, slot: "chunks" } as const;
    const batches = found.map(async ({ firstIndex, count, ...stored }) => {
      const { body } = stored;
      const lines =
        typeof body === "string"
          ? await this.storedBytes.file({ ...stored, name: body, place }).bytes()
          : refuseDamaged(stored, place);
      return { firstIndex, count, lines };
    });
    try {
      return selectChunks(await Promise.all(batches), window);
    } catch (error) {
      if (!(error instanceof PayloadDamagedError)) throw error;
      await Promise.allSettled(batches);
      const again = await this.storedBytes.chunks(seq, window);
      if (filesOf(again) === filesOf(found)) throw error;
    }
    // The batches were replaced or deleted meanwhile.
    return this.chunks(seq, window);
  }

  async chunkBatches(seq: number, window: BatchWindow): Promise<readonly ReadableBatch[]> {
    const place = { seq, slot: "chunks" } as const;
    const batches = await this.storedBytes.chunks(seq, window);
    return batches.map(({ firstIndex, count, ...stored }) => {
      const { body, sizeBytes } = stored;
      if (typeof body !== "string")
        return { firstIndex, count, lines: refuseDamaged(stored, place) };
      const isNamed = async () => {
        const around = { from: firstIndex, maxCount: 1, maxBytes: 1 };
        return (await this.storedBytes.chunks(seq, around)).some((batch) => batch.body === body);
      };
      const file = this.storedBytes.file({ ...stored, name: body, place });
      return { firstIndex, count, lines: readable(file, sizeBytes, isNamed) };
    });
  }
}

type StoredFile = ReturnType<StoredBytes["file"]>;

/** @param isNamed whether a row still names the file */
function readable(file: StoredFile, sizeBytes: number, isNamed: () => Promise<boolean>) {
  return {
    sizeBytes,
    bytes: () => unlessGone(() => file.bytes(), isNamed),
    open: () => unlessGone(() => file.open(), isNamed),
  };
}

/** @throws PayloadDamagedError when the bytes are damaged */
function refuseDamaged({ body, checksum }: Found, place: PayloadPlace): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new PayloadDamagedError(place, "is damaged: it does not match its checksum", { checksum });
}

/** Returns the result of `read`, or undefined if the file is missing or damaged because its row is gone. */
async function unlessGone<T>(
  read: () => Promise<T>,
  isNamed: () => Promise<boolean>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof PayloadDamagedError && !(await isNamed())) return undefined;
    throw error;
  }
}

function filesOf(found: readonly Found[]): string {
  return JSON.stringify(found.filter(({ body }) => typeof body === "string"));
}

/**
 * Cuts stored batches to the window of a reader.
 *
 * @param batches batches with all chunks of the window, in order, without gaps
 */
export function selectChunks(batches: Iterable<ChunkBatch>, window: ChunkWindow): ChunkBatch[] {
  const selected: ChunkBatch[] = [];
  let { maxCount, maxBytes } = window;
  for (const batch of batches) {
    const cut = cutBatch(batch, { from: window.from, maxCount, maxBytes });
    if (cut === undefined) continue;
    if (selected.length > 0 && cut.lines.byteLength > maxBytes) break;
    selected.push(cut);
    maxCount -= cut.count;
    maxBytes -= cut.lines.byteLength;
    // The window has no room for the rest of the batch.
    if (cut.firstIndex + cut.count < batch.firstIndex + batch.count) break;
  }
  return selected;
}
