/** Large payloads in a bucket. A payload is durable before a row names it, and is removed after its last row. */
import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { OpenedPayload } from "../../../core/jobs/opened-payload.ts";
import type { Blobs } from "../../blobs/blobs.ts";
import { type FileContent, rangesOf } from "../../stored-bytes.ts";
import { SLICE_MAX_BYTES } from "../../payload-in-hand.ts";
import { FILE_MIN_BYTES, type Payload, PayloadDamagedError } from "../../payload.ts";
import { checksumInSlices, contentChecksum } from "../../rows/content-checksum.ts";
import { StagedFiles } from "../../staged-files.ts";
import { WorkUnderWay } from "../../work-under-way.ts";

export class LargePayloads {
  /** Blobs that no row names yet. */
  readonly staged = new StagedFiles((name) => this.remove(name));
  readonly #blobs: Blobs;
  /** Number of readers by name. */
  readonly #open = new Map<string, number>();
  /** Blobs to be removed after their last reader. */
  readonly #doomed = new Set<string>();
  readonly #work = new WorkUnderWay();

  constructor(blobs: Blobs) {
    this.#blobs = blobs;
  }

  /** @throws StoreUnusableError, StoreFullError */
  async stage(parts: readonly Uint8Array[]): Promise<readonly Payload[]> {
    const sizeBytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (sizeBytes < FILE_MIN_BYTES) return parts.map((bytes) => ({ kind: "inline", bytes }));
    const name = randomUUID();
    const [checksums] = await Promise.all([
      Promise.all(parts.map(checksumInSlices)),
      this.#blobs.put(name, parts),
    ]);
    const ranges = rangesOf(name, parts, checksums);
    this.staged.add(
      name,
      ranges.map(({ offset }) => offset),
    );
    return ranges.map((range) => ({ kind: "file", ...range }));
  }

  /** Reads from a blob. Both methods throw PayloadDamagedError and StoreUnusableError. */
  file(content: FileContent) {
    return { bytes: () => this.#bytes(content), open: () => this.#opened(content) };
  }

  /** Removes a blob that no row names. If the removal fails, the sweep removes the blob later. */
  async remove(name: string): Promise<void> {
    if (this.#open.has(name)) this.#doomed.add(name);
    else await this.#work.track(this.#blobs.remove(name).catch(() => undefined));
  }

  /** Names of blobs that were written before `writtenBefore`, Unix time in ms. */
  async *namesBefore(writtenBefore: number): AsyncGenerator<string, void, undefined> {
    for await (const { name, writtenAt } of this.#blobs.names())
      if (writtenAt < writtenBefore && !this.staged.has(name)) yield name;
  }

  async close(): Promise<void> {
    await this.#work.settle();
    await this.#blobs.close();
  }

  async #bytes(content: FileContent): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafeSlow(content.sizeBytes);
    let at = 0;
    for await (const slice of this.#slices(content)) {
      bytes.set(slice, at);
      at += slice.byteLength;
    }
    refuseOther(await checksumInSlices(bytes), content);
    return bytes;
  }

  /** Compares the content with its checksum, and opens it. The blob stays until the content is closed. */
  async #opened(content: FileContent): Promise<OpenedPayload> {
    const { name, sizeBytes } = content;
    this.#open.set(name, (this.#open.get(name) ?? 0) + 1);
    try {
      let checksum = 0;
      for await (const slice of this.#slices(content)) checksum = contentChecksum(slice, checksum);
      refuseOther(checksum, content);
    } catch (error) {
      await this.#close(name);
      throw error;
    }
    let isOpen = true;
    return {
      sizeBytes,
      slices: () => this.#slices(content),
      [Symbol.asyncDispose]: async () => {
        if (isOpen) await this.#close(name);
        isOpen = false;
      },
    };
  }

  async #close(name: string): Promise<void> {
    const others = (this.#open.get(name) ?? 1) - 1;
    if (others > 0) {
      this.#open.set(name, others);
      return;
    }
    this.#open.delete(name);
    if (this.#doomed.delete(name)) await this.remove(name);
  }

  /** @throws PayloadDamagedError when there are fewer bytes */
  async *#slices(content: FileContent): AsyncGenerator<Uint8Array, void, undefined> {
    const { name, offset, sizeBytes } = content;
    await using opened = await this.#blobs.read(name, offset, sizeBytes);
    if (opened === undefined) throw damaged(content, `is missing: there is no object ${name}`);
    let left = sizeBytes;
    for await (const piece of opened.slices()) {
      left -= piece.byteLength;
      for (let at = 0; at < piece.byteLength; at += SLICE_MAX_BYTES)
        yield piece.subarray(at, at + SLICE_MAX_BYTES);
    }
    if (left !== 0) throw damaged(content, `is damaged: its object ${name} is too short`);
  }
}

function refuseOther(checksum: number, content: FileContent): void {
  if (checksum !== content.checksum)
    throw damaged(content, `is damaged: its object ${content.name} does not match its checksum`);
}

function damaged({ place, checksum }: FileContent, finding: string): PayloadDamagedError {
  return new PayloadDamagedError(place, finding, { checksum });
}
