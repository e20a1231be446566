/** Accepts a job: puts it into the queue, or hands it to a worker in the same commit if one has credit and no job waits. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { dueAt, retentionMs } from "../../core/jobs/job-due.ts";
import { submitJob, transition } from "../../core/jobs/job-transition.ts";
import type { DialectName, Job, JobKind } from "../../core/jobs/job.ts";
import type { Submission } from "../../core/jobs/submission.ts";
import { FILE_MIN_BYTES, type Payload } from "../../store/payload.ts";
import type { JobPayloads } from "../steps/effects.ts";
import type { Step } from "../steps/step.ts";
import { assign, reserve } from "./hand-over/assign.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "../workers/worker-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { SecretPort } from "../resources/secret-box.ts";
import { sealConfig } from "./job-payloads.ts";
import { type Abandonment, waitForEnd, type JobView, type WaitUses } from "./read/job-view.ts";

/** Suffix of job ids: the name of the region, as in the live service's ids. */
const REGION_SUFFIX = "e1";

/** Patience of a job behind a running one: the end of that one hands it over, often in time for the same batch. */
const UNTIL_NEXT_START = 1;
/** Patience of a job that a worker has already: its caller waits for the outcome, which often comes in time for the same batch. */
const UNTIL_OUTCOME = 5;

export interface SubmitRequest {
  readonly endpointId: string;
  /** Id of a submission that may be repeated. An existing job with that id is returned as it is. Default: a new id. */
  readonly id?: string | undefined;
  readonly kind: JobKind;
  /** Default: `contract`. */
  readonly dialect?: DialectName;
  readonly submission: Submission;
  /** The `wait` that the client sent explicitly; lengthens sync retention (spec). */
  readonly waitMs?: number | undefined;
  /** W3C `traceparent` of the request. */
  readonly traceparent?: string | undefined;
}

/**
 * Stores the job durably and returns it as stored.
 * @throws ServiceError endpoint_not_found, endpoint_moved, storage_full, shutting_down; secrets_unusable for a job with
 *   `s3Config`
 */
export async function submit(
  engine: StepPort & TimePort & WorkerPort & CatalogPort & SecretPort,
  request: SubmitRequest,
): Promise<Job> {
  return submitAs(engine, request, request.id ?? newJobId(engine, request.kind));
}

/**
 * Stores the job and waits for its end, at most `waitMs` or until `signal` aborts. The job itself goes on.
 * @throws ServiceError as `submit`
 */
export function submitAndWait(
  engine: WaitUses & SecretPort,
  request: SubmitRequest,
  waitMs: number,
  signal: Abandonment,
): Promise<JobView> {
  const { endpointId, kind, id: jobId = newJobId(engine, kind) } = request;
  return waitForEnd(engine, { endpointId, jobId }, waitMs, signal, () =>
    submitAs(engine, request, jobId),
  );
}

export function newJobId(engine: TimePort, kind: JobKind): string {
  const id = `${engine.random.uuid(engine.clock.now())}-${REGION_SUFFIX}`;
  return kind === "sync" ? `sync-${id}` : id;
}

async function submitAs(
  engine: StepPort & TimePort & WorkerPort & CatalogPort & SecretPort,
  request: SubmitRequest,
  id: string,
): Promise<Job> {
  const { submission, kind } = request;
  try {
    const endpoint = engine.directory.queue(request.endpointId);
    const isSmall = submission.input.byteLength < FILE_MIN_BYTES && !submission.s3Config;
    const { input, s3Config } = isSmall
      ? { input: { kind: "inline", bytes: submission.input } as const, s3Config: undefined }
      : await prepared(engine, submission, id);
    if (input.kind === "file") submission.room?.free();
    const accept = (step: Step) => {
      // Refuses an endpoint that was deleted meanwhile: other steps delete its jobs.
      engine.directory.endpoint(endpoint.id);
      const known = step.job(id);
      if (known?.endpointId === endpoint.id) return known;
      const specification = {
        executionTimeoutMs: endpoint.executionTimeoutMs || LIMITS.executionTimeoutMaxMs,
        ...submission.policy,
        seq: step.nextSeq(),
        id,
        endpointId: endpoint.id,
        kind,
        dialect: request.dialect ?? "contract",
        retentionMs: retentionMs(kind, request.waitMs),
        webhook: submission.webhook,
        traceparent: request.traceparent,
      };
      const job = submitJob(specification, engine.clock.now());
      return enqueue(engine, step, job, { input, s3Config }, submission);
    };
    const jobs = request.id === undefined ? [] : [id];
    return await engine.steps.commit(accept, { jobs, staged: isSmall ? [] : [input, s3Config] });
  } finally {
    // A client that waits for the end of the job would keep the input in memory.
    submission.input = NOTHING;
    submission.room?.[Symbol.dispose]();
  }
}

const NOTHING = new Uint8Array();

/** Stages large payloads, and encrypts the secrets. */
async function prepared(
  engine: StepPort & SecretPort,
  { input, s3Config }: Submission,
  id: string,
): Promise<{ readonly input: Payload; readonly s3Config: Payload | undefined }> {
  const sealed = s3Config && (await sealConfig(engine, id, s3Config));
  const staged = await engine.steps.stage(sealed ? [[input], [sealed]] : [[input]]);
  return {
    input: staged.get(input) ?? { kind: "inline", bytes: input },
    s3Config: sealed && staged.get(sealed),
  };
}

function enqueue(
  engine: TimePort & WorkerPort,
  step: Step,
  job: Job,
  staged: { readonly input: Payload; readonly s3Config: Payload | undefined },
  payloads: Submission,
): Job {
  const { effects } = step;
  effects.moved(job, null, job.status, "submit");
  const { input, s3Config } = staged;
  // Large payloads are files, which are read when they are needed.
  const inHand =
    input.kind === "inline" && s3Config?.kind !== "file"
      ? { input: input.bytes, s3Config: payloads.s3Config }
      : undefined;
  const stored = handOverAtOnce(engine, step, job, inHand);
  step.insertJob(stored);
  if (stored.status === "IN_QUEUE" && inHand) step.keepInput(stored, inHand);
  step.putPayload(job, "input", input);
  if (s3Config) step.putPayload(job, "s3Config", s3Config);
  effects.earliestDueAt = Math.min(effects.earliestDueAt, dueAt(stored));
  effects.changedEndpoints.add(job.endpointId);
  if (stored.status === "IN_QUEUE" && step.counts(job.endpointId).inProgress > 0)
    step.patience = UNTIL_NEXT_START;
  return job;
}

/** The job in progress if a worker is free and no job waits before it. This spares a second write of its row. */
function handOverAtOnce(
  engine: TimePort & WorkerPort,
  step: Step,
  job: Job,
  payloads: JobPayloads | undefined,
): Job {
  if (engine.early.isOnHold(job.id)) return job;
  const worker = engine.fleet.freest(job.endpointId);
  if (!worker || step.counts(job.endpointId).inQueue > 0) return job;
  const event = reserve(engine, worker);
  const handed = transition(job, event, engine.clock.now());
  if (handed.result !== "changed") {
    worker.giveBack(event.leaseToken);
    return job;
  }
  const isEarly = assign(engine, step, { worker, job: handed.job, payloads });
  if (isEarly && job.kind === "sync") step.patience = UNTIL_OUTCOME;
  step.effects.moved(handed.job, job.status, handed.job.status, "hand-over");
  return handed.job;
}
