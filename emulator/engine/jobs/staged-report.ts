/** Checks and stages the payloads of a worker's report before its step. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Outcome } from "../../../runtime/protocol/outcome.ts";
import type {
  ChunkReport,
  OutcomeReport,
  ProgressReport,
  WorkerReport,
} from "../../../runtime/protocol/session.ts";
import { areJsonLines, isValidJson } from "../../core/jobs/raw-json/scan.ts";
import type { Payload } from "../../store/payload.ts";
import type { Uses } from "../context.ts";

export interface StagedChunks {
  readonly report: ChunkReport;
  readonly lines: Payload;
}

export interface StagedProgress {
  readonly progress: ProgressReport;
  readonly value: Payload;
}

export interface StagedOutcome {
  readonly report: OutcomeReport;
  readonly output: Payload | undefined;
}

export interface StagedReport {
  readonly report: WorkerReport;
  readonly chunks: readonly StagedChunks[];
  readonly progress: readonly StagedProgress[];
  readonly outcomes: readonly StagedOutcome[];
}

/** The `{"output":…,"metrics":…}` around a chunk's output may add this much. */
const CHUNK_FRAME_MAX_BYTES = 65_536;

/**
 * Stages the report's payloads. Answers at once, without a promise, when there are none, so that small reports of one
 * turn share one commit; otherwise after `before`, which keeps reports in order.
 */
export function stageReport(
  engine: Uses<"steps">,
  report: WorkerReport,
  before: Promise<unknown> | undefined,
): StagedReport | Promise<StagedReport> {
  const hasPayloads =
    report.chunks?.length ||
    report.progress?.length ||
    report.outcomes?.some(({ outcome }) => outputOf(outcome));
  if (hasPayloads || before) return stageAll(engine, report, before);
  const outcomes = (report.outcomes ?? []).map((outcome) => ({
    report: outcome,
    output: undefined,
  }));
  return { report, chunks: [], progress: [], outcomes };
}

/** Everything the report has staged. */
export function payloadsOf(staged: StagedReport): readonly (Payload | undefined)[] {
  const { chunks, progress, outcomes } = staged;
  return [
    ...chunks.map(({ lines }) => lines),
    ...progress.map(({ value }) => value),
    ...outcomes.map(({ output }) => output),
  ];
}

async function stageAll(
  engine: Uses<"steps">,
  report: WorkerReport,
  before: Promise<unknown> | undefined,
): Promise<StagedReport> {
  const [chunks, progress, outcomes] = await Promise.all([
    stageBatches(engine, (report.chunks ?? []).filter(isAcceptable)),
    Promise.all(
      (report.progress ?? []).filter(isSmallJson).map((value) => stageProgress(engine, value)),
    ),
    Promise.all((report.outcomes ?? []).map((outcome) => stageOutcome(engine, outcome))),
    before?.catch(() => undefined),
  ]);
  return { report, chunks, progress, outcomes };
}

async function stageBatches(
  engine: Uses<"steps">,
  reports: readonly ChunkReport[],
): Promise<StagedChunks[]> {
  const byJob = Map.groupBy(reports, ({ jobId }) => jobId);
  const staged = Array.from(byJob.values(), async (ofJob) => {
    const payloads = await engine.steps.stageChunks(ofJob.map(({ lines }) => lines));
    return payloads.flatMap((lines, at) => {
      const report = ofJob[at];
      return report ? [{ report, lines }] : [];
    });
  });
  return (await Promise.all(staged)).flat();
}

async function stageProgress(
  engine: Uses<"steps">,
  progress: ProgressReport,
): Promise<StagedProgress> {
  return { progress, value: await engine.steps.stage(progress.value) };
}

function isAcceptable({ count, lines }: ChunkReport): boolean {
  return areJsonLines(lines, count, LIMITS.chunkMaxBytes + CHUNK_FRAME_MAX_BYTES);
}

function isSmallJson(progress: ProgressReport): boolean {
  return progress.value.byteLength <= LIMITS.progressMaxBytes && isValidJson(progress.value);
}

async function stageOutcome(engine: Uses<"steps">, report: OutcomeReport): Promise<StagedOutcome> {
  const output = outputOf(report.outcome);
  if (!output) return { report, output: undefined };
  const refusal = refusalOf(output);
  if (refusal === undefined) return { report, output: await engine.steps.stage(output) };
  const failure = { type: "worker_refused", message: refusal } as const;
  return { report: { ...report, outcome: { kind: "failed", failure } }, output: undefined };
}

function refusalOf(output: Uint8Array): string | undefined {
  if (output.byteLength > LIMITS.outputMaxBytes) {
    return `the worker sent an output of ${output.byteLength} bytes; the limit is ${LIMITS.outputMaxBytes}`;
  }
  return isValidJson(output) ? undefined : "the worker sent an output that is no JSON";
}

function outputOf(outcome: Outcome): Uint8Array | undefined {
  return outcome.kind === "completed" || outcome.kind === "failed" ? outcome.output : undefined;
}
