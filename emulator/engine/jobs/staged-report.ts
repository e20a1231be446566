/** Stages the payloads of a worker's report before its step. */
import { outputOf } from "../../../runtime/protocol/outcome.ts";
import type {
  ChunkReport,
  OutcomeReport,
  ProgressReport,
  WorkerReport,
} from "../../../runtime/protocol/session.ts";
import { FILE_MIN_BYTES, type Payload } from "../../store/payload.ts";
import type { StepPort } from "../steps/step-port.ts";
import { checkedReport, checkedSmallReport, sizedReport } from "./checked-report.ts";

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
  /** The payloads that may lie in files. Files that no step stores are deleted. */
  readonly staged: readonly (Payload | undefined)[];
}

const NONE: ReadonlyMap<Uint8Array, Payload> = new Map();

/** Options for staging a report. */
export interface StagingTerms {
  /** The staging of the previous report: reports stay in order. */
  readonly before: Promise<unknown> | undefined;
  /** The payloads were checked on arrival. */
  readonly isChecked: boolean;
  /** Called with large chunks, or chunks behind large ones, before they are staged. */
  readonly arrived?: (chunks: readonly ChunkReport[]) => void;
  /** Replaces checked outcomes, at once where it can. */
  readonly readOutcomes?:
    | ((report: WorkerReport) => WorkerReport | Promise<WorkerReport>)
    | undefined;
}

/**
 * Checks and stages the report's payloads. Answers at once, without a promise, when they are small, so that such reports of one
 * turn share one commit.
 */
export function stageReport(
  engine: StepPort,
  report: WorkerReport,
  terms: StagingTerms,
): StagedReport | Promise<StagedReport> {
  let bytes = 0;
  for (const { lines } of report.chunks ?? []) bytes += lines.byteLength;
  for (const { value } of report.progress ?? []) bytes += value.byteLength;
  for (const { outcome } of report.outcomes ?? []) bytes += outputOf(outcome)?.byteLength ?? 0;
  if (bytes >= FILE_MIN_BYTES || terms.before) return stageAll(engine, report, terms);
  const checked = terms.isChecked ? sizedReport(report) : checkedSmallReport(report);
  const read = terms.readOutcomes?.(checked) ?? checked;
  return read instanceof Promise ? read.then((each) => stagedBy(each, NONE)) : stagedBy(read, NONE);
}

/** @param staged the payloads that were staged; the others are not in files */
function stagedBy(report: WorkerReport, staged: ReadonlyMap<Uint8Array, Payload>): StagedReport {
  const payloadOf = (bytes: Uint8Array): Payload => staged.get(bytes) ?? { kind: "inline", bytes };
  const { chunks = [], progress = [], outcomes = [] } = report;
  return {
    report,
    chunks: chunks.map((chunk) => ({ report: chunk, lines: payloadOf(chunk.lines) })),
    progress: progress.map((newest) => ({ progress: newest, value: payloadOf(newest.value) })),
    outcomes: outcomes.map((outcome) => {
      const output = outputOf(outcome.outcome);
      return { report: outcome, output: output && payloadOf(output) };
    }),
    staged: [...staged.values()],
  };
}

/** Whether the report takes a step. */
export function changesJobs(report: WorkerReport): boolean {
  return Boolean(
    report.credit ||
    report.renewals?.length ||
    report.chunks?.length ||
    report.progress?.length ||
    report.outcomes?.length ||
    report.pauses?.length,
  );
}

/** The report no longer needs the bytes of its payloads. The bytes of chunks go on to readers. */
export function isInFiles({ chunks, progress, outcomes }: StagedReport): boolean {
  const isInFile = ({ output }: StagedOutcome) => output === undefined || output.kind === "file";
  return chunks.length === 0 && progress.length === 0 && outcomes.every(isInFile);
}

async function stageAll(
  engine: StepPort,
  sent: WorkerReport,
  { arrived, before, isChecked, readOutcomes }: StagingTerms,
): Promise<StagedReport> {
  const checked = isChecked ? sizedReport(sent) : await checkedReport(sent);
  const report = (await readOutcomes?.(checked)) ?? checked;
  const { chunks = [], progress = [], outcomes = [] } = report;
  arrived?.(chunks);
  const byJob = Map.groupBy(chunks, ({ jobId }) => jobId);
  const outputs = outcomes.flatMap(({ outcome }) => outputOf(outcome) ?? []);
  const groups = [
    ...Array.from(byJob.values(), (ofJob) => ofJob.map(({ lines }) => lines)),
    ...progress.map(({ value }) => [value]),
    ...outputs.map((output) => [output]),
  ];
  const [staged] = await Promise.all([engine.steps.stage(groups), before?.catch(() => undefined)]);
  return stagedBy(report, staged);
}
