/**
 * Reads outcomes of our own workers by the rules of the live service's Python SDK, for jobs of the live dialect (live). Outputs of
 * other jobs stay as they are: one hint for each version of an endpoint says so.
 */
import type { Outcome } from "../../../runtime/protocol/outcome.ts";
import type { OutcomeReport, WorkerReport } from "../../../runtime/protocol/session.ts";
import {
  mayBeSdkOutput,
  readSdkOutput,
  SDK_MEMBERS,
} from "../../../runtime/protocol/sdk-output.ts";
import { SlicedScan } from "../../core/jobs/raw-json/scan.ts";
import { reportedFailure } from "../../core/jobs/reported-failure.ts";
import { ownTurn } from "../limits/own-turn.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import { replaceOnRequest } from "../workers/replace-worker.ts";
import type { WorkerHandle } from "../workers/worker-handle.ts";
import type { WorkerPort } from "../workers/worker-port.ts";

type SdkUses = StepPort & WorkerPort & TellPort & WakePort;

/** Maximum size of an output that is looked at for a hint. */
const HINT_MAX_BYTES = 65_536;

const HINTS = {
  error:
    'the handler returned an object with "error", and its job is COMPLETED: throw an error to fail a job. Only jobs submitted below /live fail by a returned error',
  refresh:
    'the handler returned "refresh_worker", which is only output: call context.refresh() for a new process. Only jobs submitted below /live replace their worker by it',
};

/** Answers at once, without a promise, unless an output has to be read. */
export function readSdkOutcomes(
  engine: SdkUses,
  worker: WorkerHandle,
  report: WorkerReport,
): WorkerReport | Promise<WorkerReport> {
  const { outcomes = [] } = report;
  const found = new Map<OutcomeReport, Uint8Array>();
  for (const each of outcomes) {
    const { jobId, outcome } = each;
    if (outcome.kind !== "completed" || outcome.output === undefined) continue;
    if (engine.steps.jobNow(jobId)?.dialect !== "live") hint(engine, worker, jobId, outcome.output);
    else if (mayBeSdkOutput(outcome.output)) found.set(each, outcome.output);
  }
  if (found.size === 0) return report;
  const read = async (each: OutcomeReport): Promise<OutcomeReport> => {
    const whole = found.get(each);
    return whole ? { ...each, outcome: await sdkOutcome(engine, worker, whole) } : each;
  };
  return Promise.all(outcomes.map(read)).then((all) => ({ ...report, outcomes: all }));
}

async function sdkOutcome(
  engine: SdkUses,
  worker: WorkerHandle,
  whole: Uint8Array,
): Promise<Outcome> {
  // Parsing a large text blocks the service, so it waits until the members are found.
  const scan = await new SlicedScan(ownTurn).json(whole, { keep: SDK_MEMBERS });
  const told = scan.ok && scan.members.size > 0 ? readSdkOutput(whole) : undefined;
  if (told === undefined) return { kind: "completed", output: whole };
  if (told.wantsNewWorker) replaceOnRequest(engine, worker);
  const rest = told.output && { output: told.output };
  return told.error === undefined
    ? { kind: "completed", ...rest }
    : { kind: "failed", failure: reportedFailure(told.error), ...rest };
}

function hint(
  { hinted, log }: SdkUses,
  worker: WorkerHandle,
  jobId: string,
  output: Uint8Array,
): void {
  if (output.byteLength > HINT_MAX_BYTES || hinted.has(worker) || !mayBeSdkOutput(output)) return;
  const { error, wantsNewWorker = false } = readSdkOutput(output) ?? {};
  if (error === undefined && !wantsNewWorker) return;
  hinted.add(worker);
  const { endpointId } = worker;
  log.warn({ endpointId, jobId }, HINTS[error === undefined ? "refresh" : "error"]);
}
