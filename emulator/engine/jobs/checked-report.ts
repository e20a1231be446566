/** Checks the payloads of a worker's report. Stored payloads and payloads for clients must be JSON within its limits. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { outputOf } from "../../../runtime/protocol/outcome.ts";
import type {
  ChunkReport,
  OutcomeReport,
  ProgressReport,
  WorkerReport,
} from "../../../runtime/protocol/session.ts";
import { SlicedScan } from "../../core/jobs/raw-json/scan.ts";
import { ownTurn } from "../limits/own-turn.ts";

/** The `{"output":…,"metrics":…}` around a chunk's output may add this much. */
const CHUNK_FRAME_MAX_BYTES = 65_536;

type Part = ChunkReport | ProgressReport | OutcomeReport;

/** Checks a report with payloads of at most one slice together: at once. */
export function checkedSmallReport(report: WorkerReport): WorkerReport {
  const scan = new SlicedScan(ownTurn);
  return fitting(report, (part) => isJson(scan, part) === true);
}

/** Checks a report of any size, in slices between which others have their turn. */
export async function checkedReport(report: WorkerReport): Promise<WorkerReport> {
  const scan = new SlicedScan(ownTurn);
  const { chunks = [], progress = [], outcomes = [] } = report;
  const bad = new Set<Part>();
  for (const part of [...chunks, ...progress, ...outcomes])
    if (!(await isJson(scan, part))) bad.add(part);
  return fitting(report, (part) => !bad.has(part));
}

/** Answers at once where the scan need not wait. A payload over its limit is not looked at. */
function isJson(scan: SlicedScan, part: Part): boolean | Promise<boolean> {
  if ("lines" in part) {
    const { lines, count } = part;
    return scan.areJsonLines(lines, count, LIMITS.chunkMaxBytes + CHUNK_FRAME_MAX_BYTES);
  }
  const [bytes, maxBytes] =
    "value" in part
      ? [part.value, LIMITS.progressMaxBytes]
      : [outputOf(part.outcome), LIMITS.outputMaxBytes];
  return bytes === undefined || (bytes.byteLength <= maxBytes && scan.isJson(bytes));
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
