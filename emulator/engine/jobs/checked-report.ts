/** Checks the payloads of a worker's report: what is kept and shown to clients has to be JSON within its limits. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { outputOf } from "../../../runtime/protocol/outcome.ts";
import type { OutcomeReport, WorkerReport } from "../../../runtime/protocol/session.ts";
import { SlicedScan } from "../../core/jobs/raw-json/scan.ts";
import { ownTurn } from "../limits/own-turn.ts";

/** The `{"output":…,"metrics":…}` around a chunk's output may add this much. */
const CHUNK_FRAME_MAX_BYTES = 65_536;

/**
 * The report as it can be taken: without chunks and progress values that are none, and with a failure in the place of an
 * outcome whose output is none. Looks at large payloads in slices, between which others have their turn.
 */
export async function checkedReport(report: WorkerReport): Promise<WorkerReport> {
  const scan = new SlicedScan(ownTurn);
  const chunks = await those(report.chunks, ({ lines, count }) =>
    scan.areJsonLines(lines, count, LIMITS.chunkMaxBytes + CHUNK_FRAME_MAX_BYTES),
  );
  const progress = await those(
    report.progress,
    async ({ value }) => value.byteLength <= LIMITS.progressMaxBytes && (await scan.isJson(value)),
  );
  const outcomes: OutcomeReport[] = [];
  for (const outcome of report.outcomes ?? []) outcomes.push(await checkedOutcome(scan, outcome));
  return { ...report, chunks, progress, outcomes };
}

async function those<T>(
  all: readonly T[] = [],
  isWanted: (each: T) => Promise<boolean>,
): Promise<readonly T[]> {
  const wanted: T[] = [];
  for (const each of all) if (await isWanted(each)) wanted.push(each);
  return wanted;
}

async function checkedOutcome(scan: SlicedScan, report: OutcomeReport): Promise<OutcomeReport> {
  const output = outputOf(report.outcome);
  const refusal = output && (await refusalOf(scan, output));
  if (refusal === undefined) return report;
  const failure = { type: "worker_refused", message: refusal } as const;
  return { ...report, outcome: { kind: "failed", failure } };
}

async function refusalOf(scan: SlicedScan, output: Uint8Array): Promise<string | undefined> {
  if (output.byteLength > LIMITS.outputMaxBytes) {
    return `the worker sent an output of ${output.byteLength} bytes; the limit is ${LIMITS.outputMaxBytes}`;
  }
  return (await scan.isJson(output)) ? undefined : "the worker sent an output that is no JSON";
}
