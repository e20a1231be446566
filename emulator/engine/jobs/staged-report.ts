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
import type { Stage } from "../steps/staging.ts";
import { checkedReport, checkedSmallReport } from "./checked-report.ts";

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

/** How a report is staged. */
export interface StagingTerms {
  /** The staging of the report before it, which keeps reports in order. */
  readonly before: Promise<unknown> | undefined;
  /** Its payloads were checked when they came in. */
  readonly isChecked: boolean;
}

/**
 * Checks and stages the report's payloads. Answers at once, without a promise, when they are small, so that such reports of one turn
 * share one commit.
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
  return stagedInline(terms.isChecked || bytes === 0 ? report : checkedSmallReport(report));
}

/** The report with payloads that lie in no file. */
function stagedInline(report: WorkerReport): StagedReport {
  const { chunks = [], progress = [], outcomes = [] } = report;
  return {
    report,
    chunks: chunks.map((chunk) => ({
      report: chunk,
      lines: { kind: "inline", bytes: chunk.lines },
    })),
    progress: progress.map((newest) => ({
      progress: newest,
      value: { kind: "inline", bytes: newest.value },
    })),
    outcomes: outcomes.map((outcome) => {
      const bytes = outputOf(outcome.outcome);
      return { report: outcome, output: bytes && { kind: "inline", bytes } };
    }),
    staged: [],
  };
}

/** The report no longer needs the bytes of its payloads. The bytes of chunks go on to readers. */
export function isInFiles({ chunks, progress, outcomes }: StagedReport): boolean {
  const isInFile = ({ output }: StagedOutcome) => output === undefined || output.kind === "file";
  return chunks.length === 0 && progress.length === 0 && outcomes.every(isInFile);
}

async function stageAll(
  engine: StepPort,
  sent: WorkerReport,
  { before, isChecked }: StagingTerms,
): Promise<StagedReport> {
  const report = isChecked ? sent : await checkedReport(sent);
  const [[chunks, progress, outcomes]] = await Promise.all([
    engine.steps.stage((stage) =>
      Promise.all([
        stageBatches(stage, report.chunks ?? []),
        Promise.all((report.progress ?? []).map((value) => stageProgress(stage, value))),
        Promise.all((report.outcomes ?? []).map((outcome) => stageOutcome(stage, outcome))),
      ]),
    ),
    before?.catch(() => undefined),
  ]);
  const staged = [
    ...chunks.map(({ lines }) => lines),
    ...progress.map(({ value }) => value),
    ...outcomes.map(({ output }) => output),
  ];
  return { report, chunks, progress, outcomes, staged };
}

async function stageBatches(
  stage: Stage,
  reports: readonly ChunkReport[],
): Promise<StagedChunks[]> {
  const byJob = Map.groupBy(reports, ({ jobId }) => jobId);
  const staged = Array.from(byJob.values(), async (ofJob) => {
    const payloads = await stage.all(ofJob.map(({ lines }) => lines));
    return payloads.flatMap((lines, at) => {
      const report = ofJob[at];
      return report ? [{ report, lines }] : [];
    });
  });
  return (await Promise.all(staged)).flat();
}

async function stageProgress(stage: Stage, progress: ProgressReport): Promise<StagedProgress> {
  return { progress, value: await stage.one(progress.value) };
}

async function stageOutcome(stage: Stage, report: OutcomeReport): Promise<StagedOutcome> {
  const output = outputOf(report.outcome);
  return { report, output: output && (await stage.one(output)) };
}
