/** Checks the payloads of a worker's report. Stored payloads and payloads for clients must be JSON within its limits. */
import { LINE_FEED } from "../../../runtime/protocol/chunk-batch.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { outputOf } from "../../../runtime/protocol/outcome.ts";
import type {
  ChunkReport,
  OutcomeReport,
  ProgressReport,
  WorkerReport,
} from "../../../runtime/protocol/session.ts";
import { SlicedScan } from "../../core/jobs/raw-json/scan.ts";
import { JsonScanner, type ScanResult } from "../../core/jobs/raw-json/scanner.ts";
import { asBuffer } from "../../../runtime/protocol/wire/wire-fields.ts";
import { ownTurn } from "../limits/own-turn.ts";

/** The `{"output":…,"metrics":…}` around a chunk's output may add this much. */
const CHUNK_FRAME_MAX_BYTES = 65_536;

type LineSizes = Pick<JsonScanner, "lineCount" | "longestLineBytes">;
type Part = ChunkReport | ProgressReport | OutcomeReport;

/** Checks the sizes alone, for payloads that are known to be JSON. */
export function sizedReport(report: WorkerReport): WorkerReport {
  return fitting(report, (part) =>
    "lines" in part ? hasLines(linesIn(part.lines), part.count) : fitsWhole(part),
  );
}

/** Each line of JSON ends with a line feed, and there is none within. */
function linesIn(lines: Uint8Array): LineSizes {
  const bytes = asBuffer(lines);
  let [lineCount, longestLineBytes, start] = [0, 0, 0];
  for (let end; (end = bytes.indexOf(LINE_FEED, start)) !== -1; start = end + 1) {
    lineCount += 1;
    longestLineBytes = Math.max(longestLineBytes, end - start);
  }
  return { lineCount: start === bytes.byteLength ? lineCount : -1, longestLineBytes };
}

/** Checks a report with small payloads, at once. */
export function checkedSmallReport(report: WorkerReport): WorkerReport {
  return fitting(report, (part) => isJson(part, scanNow) === true);
}

/** Checks a report of any size, in slices between which others have their turn. */
export async function checkedReport(report: WorkerReport): Promise<WorkerReport> {
  const scan = new SlicedScan(ownTurn);
  const { chunks = [], progress = [], outcomes = [] } = report;
  const bad = new Set<Part>();
  for (const part of [...chunks, ...progress, ...outcomes])
    if (!(await isJson(part, (...text) => scan.scan(...text)))) bad.add(part);
  return fitting(report, (part) => !bad.has(part));
}

type Scan = (scanner: JsonScanner, bytes: Uint8Array) => ScanResult | Promise<ScanResult>;

function scanNow(scanner: JsonScanner, bytes: Uint8Array): ScanResult {
  scanner.push(bytes);
  return scanner.end();
}

/** Whether the payload is JSON, or lines of JSON, within its limit. Answers at once where `scan` does. */
function isJson(part: Part, scan: Scan): boolean | Promise<boolean> {
  const areLines = "lines" in part;
  const scanner = new JsonScanner({ keep: [], lines: areLines });
  const fits = ({ ok }: ScanResult) => ok && (!areLines || hasLines(scanner, part.count));
  if (!areLines && !fitsWhole(part)) return false;
  const bytes = areLines ? part.lines : bytesOf(part);
  if (bytes === undefined) return true;
  const scanned = scan(scanner, bytes);
  return scanned instanceof Promise ? scanned.then(fits) : fits(scanned);
}

function bytesOf(part: ProgressReport | OutcomeReport): Uint8Array | undefined {
  return "value" in part ? part.value : outputOf(part.outcome);
}

function fitsWhole(part: ProgressReport | OutcomeReport): boolean {
  const bytes = bytesOf(part);
  const maxBytes = "value" in part ? LIMITS.progressMaxBytes : LIMITS.outputMaxBytes;
  return bytes === undefined || (bytes.byteLength > 0 && bytes.byteLength <= maxBytes);
}

function hasLines({ lineCount, longestLineBytes }: LineSizes, count: number): boolean {
  return (
    lineCount === count &&
    count > 0 &&
    longestLineBytes <= LIMITS.chunkMaxBytes + CHUNK_FRAME_MAX_BYTES
  );
}

/**
 * The checked report. Chunks and progress values that are no JSON are left out. An outcome with output that is no JSON becomes
 * a failure.
 */
function fitting(report: WorkerReport, isGood: (part: Part) => boolean): WorkerReport {
  const { chunks = [], progress = [], outcomes = [] } = report;
  return {
    ...report,
    chunks: chunks.filter(isGood),
    progress: progress.filter(isGood),
    outcomes: outcomes.map((outcome) => (isGood(outcome) ? outcome : refused(outcome))),
  };
}

function refused(report: OutcomeReport): OutcomeReport {
  const { byteLength = 0 } = outputOf(report.outcome) ?? {};
  const message =
    byteLength > LIMITS.outputMaxBytes
      ? `the worker sent an output of ${byteLength} bytes; the limit is ${LIMITS.outputMaxBytes}`
      : "the worker sent an output that is no JSON";
  return { ...report, outcome: { kind: "failed", failure: { type: "worker_refused", message } } };
}
