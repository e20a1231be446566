/**
 * Keeps the number of the last commit in a small file next to the database. A database with fewer commits than its mark has lost
 * commits: its log was damaged or cut, or it is an older copy. The mark is written before the commit is acknowledged, but is not
 * synced. After a power failure it may be behind the database, but never ahead of it.
 */
import fs from "node:fs";
import path from "node:path";
import { crc32 } from "node:zlib";
import { PRIVATE_MODE } from "../../../sqlite/private-file.ts";

/** Within the data directory. */
export const MARK_FILE = "store.mark";
const FORM = /^sv-runtime commit (\d{16}) ([0-9a-f]{8})\n$/;

function markFile(directory: string): string {
  return path.join(directory, MARK_FILE);
}

/** Returns the number of commits in the mark, or the reason why it is missing. */
export function readMark(directory: string): number | "missing" | "damaged" {
  let text: string;
  try {
    text = fs.readFileSync(markFile(directory), "latin1");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "missing";
    throw error;
  }
  const [, digits] = FORM.exec(text) ?? [];
  return digits !== undefined && textOf(Number(digits)) === text ? Number(digits) : "damaged";
}

export class CommitMark {
  readonly #file: number;

  /** Opens the mark of the directory, or makes one. Throws what the file system throws. */
  constructor(directory: string) {
    this.#file = fs.openSync(
      markFile(directory),
      fs.constants.O_RDWR | fs.constants.O_CREAT,
      PRIVATE_MODE,
    );
  }

  /** Writes the number of commits. The text always has the same length. */
  write(commits: number): void {
    fs.writeSync(this.#file, textOf(commits), 0, "latin1");
  }

  /** Call this for a new mark. From then on a missing mark means damage. */
  sync(): void {
    fs.fsyncSync(this.#file);
  }

  close(): void {
    fs.closeSync(this.#file);
  }
}

function textOf(commits: number): string {
  const digits = String(commits).padStart(16, "0");
  return `sv-runtime commit ${digits} ${crc32(digits).toString(16).padStart(8, "0")}\n`;
}
