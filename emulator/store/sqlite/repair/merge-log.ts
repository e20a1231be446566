/**
 * Merges the log of a database into a copy of its file, without SQLite. SQLite stops at the first damaged frame and discards all
 * later frames. But every frame is a whole page, so the later frames are still good.
 *
 * SQLite documents both files ("Database File Format"): a log has a header of 32 bytes and frames, each with a header of 24
 * bytes (page number, pages after a commit, two salts, two checksums) and a page.
 */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import { PRIVATE_MODE } from "../../../sqlite/private-file.ts";

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
/** Offsets in the header of the database: page size, and whether a log is used for writing and reading. */
const PAGE_SIZE_AT = 16;
const WRITE_VERSION_AT = 18;
const READ_VERSION_AT = 19;
const NO_LOG = 1;

interface Frame {
  readonly page: number;
  /** Number of pages of the database after the commit that this frame ends. 0 if the frame does not end a commit. */
  readonly pagesAfter: number;
  readonly contentAt: number;
}

/** Merges the database `file` with its log, and writes the result to `target`. Either the file or the log may be missing. */
export function mergeLog(file: string, log: string, target: string): void {
  fs.rmSync(target, { force: true });
  fs.writeFileSync(target, "", { mode: PRIVATE_MODE });
  if (fs.existsSync(file)) fs.copyFileSync(file, target);
  const database = fs.openSync(target, "r+");
  try {
    if (fs.existsSync(log)) applyLog(database, fs.readFileSync(log));
    // SQLite must not look for a log of the copy.
    const versions = Buffer.alloc(2);
    fs.readSync(database, versions, 0, 2, WRITE_VERSION_AT);
    if (versions[0] === 2 || versions[READ_VERSION_AT - WRITE_VERSION_AT] === 2)
      fs.writeSync(database, Buffer.of(NO_LOG, NO_LOG), 0, 2, WRITE_VERSION_AT);
  } finally {
    fs.closeSync(database);
  }
}

function applyLog(database: number, log: Buffer): void {
  const pageSize = pageSizeOf(database, log);
  const frames = committedFrames(log, pageSize);
  for (const { page, contentAt } of frames)
    fs.writeSync(database, log, contentAt, pageSize, (page - 1) * pageSize);
  const pages = frames.at(-1)?.pagesAfter ?? 0;
  if (pages > 0) fs.ftruncateSync(database, pages * pageSize);
}

/** Returns the page size from the header of the database or of the log, whichever is valid. */
function pageSizeOf(database: number, log: Buffer): number {
  const header = Buffer.alloc(PAGE_SIZE_AT + 2);
  fs.readSync(database, header, 0, header.byteLength, 0);
  const said = [header.readUInt16BE(PAGE_SIZE_AT), log.byteLength < 12 ? 0 : log.readUInt32BE(8)];
  return said.find((size) => size >= 512 && size <= 65_536 && (size & (size - 1)) === 0) ?? 4_096;
}

/** Returns the frames since the last restart of the log, up to its last commit, without frames that have an impossible header. */
function committedFrames(log: Buffer, pageSize: number): Frame[] {
  const frames: Frame[] = [];
  let committed = 0;
  const salts = saltsOf(log);
  const frameBytes = FRAME_HEADER_BYTES + pageSize;
  const maxPage = Math.floor(Number.MAX_SAFE_INTEGER / pageSize);
  for (let at = LOG_HEADER_BYTES; at + frameBytes <= log.byteLength; at += frameBytes) {
    if (!log.subarray(at + 8, at + 16).equals(salts)) continue;
    const [page, pagesAfter] = [log.readUInt32BE(at), log.readUInt32BE(at + 4)];
    if (page === 0 || page > maxPage) continue;
    frames.push({ page, pagesAfter, contentAt: at + FRAME_HEADER_BYTES });
    if (pagesAfter > 0) committed = frames.length;
  }
  return keptWithin(frames.slice(0, committed));
}

/** Drops frames with a damaged page number far beyond the end. */
function keptWithin(frames: readonly Frame[]): Frame[] {
  const pages = frames.at(-1)?.pagesAfter ?? 0;
  return frames.filter(({ page }) => page <= pages);
}

/** Returns the salts of the header, or of the first frame if no frame has the header's salts, because the header is damaged. */
function saltsOf(log: Buffer): Buffer {
  const [ofHeader, ofFrame] = [log.subarray(16, 24), log.subarray(40, 48)];
  const next = log.indexOf(ofHeader, LOG_HEADER_BYTES);
  return next < 0 ? ofFrame : ofHeader;
}
