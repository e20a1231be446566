/** Large payloads as files next to the database. A file is durable before a row names it, and is removed after its last row. */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import { DirectorySync, makeDirectoryDurably } from "../../../sqlite/durable-directory.ts";
import { type FileContent, type FileRange, rangesOf } from "../../stored-bytes.ts";
import { checksumInSlices } from "../../rows/content-checksum.ts";
import { openContent, readContent } from "./read-file.ts";
import { SharedFiles } from "./shared-files.ts";
import { fromFileSystem } from "../../../sqlite/sqlite-error.ts";
import { StagedFiles } from "../../staged-files.ts";
import { WorkUnderWay } from "../../work-under-way.ts";

/** Form of the names that this store assigns. Other files in the directory are ignored. */
const NAME = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function isPayloadFile(name: string): boolean {
  return NAME.test(name);
}

/** Within the data directory. */
export const PAYLOADS_DIRECTORY = "payloads";

export class PayloadFiles {
  /** Files that no committed row names yet. */
  readonly staged = new StagedFiles((name) => this.remove(name));
  readonly #root: string;
  readonly #names: DirectorySync;
  readonly #work = new WorkUnderWay();
  readonly #shared = new SharedFiles((file) =>
    this.#work.track(fs.promises.rm(file, { force: true }).catch(() => undefined)),
  );

  /** @param dataDirectory must exist; @throws StoreUnusableError, StoreFullError when the directory for files cannot be made */
  constructor(dataDirectory: string) {
    this.#root = path.join(dataDirectory, PAYLOADS_DIRECTORY);
    try {
      makeDirectoryDurably(this.#root);
    } catch (error) {
      throw fromFileSystem(error, this.#root);
    }
    this.#names = new DirectorySync(this.#root);
  }

  async names(): Promise<string[]> {
    return (await fs.promises.readdir(this.#root)).filter(isPayloadFile);
  }

  /** Writes the parts, one after another, into a new file. Resolves with their ranges when the file is durable. */
  stage(parts: readonly Uint8Array[]): Promise<FileRange[]> {
    return this.#work.track(this.#write(randomUUID(), parts));
  }

  /** Reads the content of a file. Both methods throw PayloadDamagedError, also if the file was removed meanwhile. */
  payload(content: FileContent) {
    const use = () => this.#shared.use(this.#pathOf(content.name));
    return {
      bytes: () => readContent(use(), content),
      open: () => openContent(use(), content),
    };
  }

  /** Removes a file without a row when its last reader has finished. If the removal fails, the next start removes the file. */
  async remove(name: string): Promise<void> {
    await this.#shared.remove(this.#pathOf(name));
  }

  /** Resolves when no file is being written or removed. */
  async settle(): Promise<void> {
    await this.#work.settle();
  }

  async #write(name: string, parts: readonly Uint8Array[]): Promise<FileRange[]> {
    const file = this.#pathOf(name);
    let checksums: number[];
    try {
      [checksums] = await Promise.all([
        Promise.all(parts.map(checksumInSlices)),
        writeDurably(file, parts),
      ]);
      await this.#names.sync();
    } catch (error) {
      await fs.promises.rm(file, { force: true }).catch(() => undefined);
      throw fromFileSystem(error, file);
    }
    const ranges = rangesOf(name, parts, checksums);
    this.staged.add(
      name,
      ranges.map(({ offset }) => offset),
    );
    return ranges;
  }

  #pathOf(name: string): string {
    return path.join(this.#root, name);
  }
}

async function writeDurably(file: string, parts: readonly Uint8Array[]): Promise<void> {
  const handle = await fs.promises.open(file, "wx", 0o600);
  try {
    await writeAll(handle, parts);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  for (let left = [...parts]; left.length > 0;) {
    let { bytesWritten } = await handle.writev(left);
    left = left.flatMap((part) => {
      const written = Math.min(bytesWritten, part.byteLength);
      bytesWritten -= written;
      return written < part.byteLength ? [part.subarray(written)] : [];
    });
  }
}
