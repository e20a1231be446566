/** One endpoint for a test: reads its jobs, and holds, inspects and drains its queue. */
import { isTerminal, type JobStatus } from "../../runtime/protocol/job-status.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import type { Client } from "../../runtime/client/client.ts";
import type { SubmitOptions } from "../../runtime/client/submission.ts";
import { closestName } from "../../runtime/protocol/did-you-mean.ts";
import type { StepPort } from "../engine/steps/step-port.ts";
import type { TimePort } from "../engine/time/time-port.ts";
import type { WorkerPort } from "../engine/workers/worker-port.ts";
import type { HistoryPort } from "../engine/observe/tell-port.ts";
import type { CatalogPort } from "../engine/resources/catalog-port.ts";
import type { WakePort } from "../engine/steps/wake-port.ts";
import { holdQueue, releaseQueue } from "../engine/jobs/hold-queue.ts";
import { untilIdle } from "./idle.ts";
import { listContents, readContents } from "../engine/jobs/read/job-contents.ts";
import { viewJobAtEnd, type WaitUses } from "../engine/jobs/read/job-view.ts";
import { holding } from "./holding.ts";
import type { JobLines } from "./job-lines.ts";
import { type JobRecord, recordOf } from "./job-record.ts";
import { NotIdleError } from "./not-idle-error.ts";

/** Time limit of the wait. */
export interface WaitLimit {
  /** Real time, ms; default 30,000. */
  readonly timeoutMs?: number;
}

export interface EndpointQueue {
  /** True between `hold` and `release`. */
  readonly isOnHold: boolean;
  /** From now on hands no job to a worker, even to a free one. Running jobs go on. Idempotent. */
  hold(): void;
  /** Ends a hold. Resolves when the free workers have got their jobs. Idempotent. */
  release(): Promise<void>;
  /** The waiting jobs, oldest submission first. */
  jobs(): Promise<readonly JobRecord[]>;
  /**
   * Releases the queue until no job waits or runs. Returns the jobs that ended meanwhile, in the order of their ends. A queue that was on hold is on hold again afterwards.
   * @throws NotIdleError
   */
  drain(limit?: WaitLimit): Promise<readonly JobRecord[]>;
}

export interface EndpointHandle {
  readonly id: string;
  /** For example `http://127.0.0.1:7080/v2/hello`. */
  readonly url: string;
  readonly queue: EndpointQueue;
  /**
   * Submits a job over the job interface and returns it when it has ended in any way. @throws the errors of a client's `run`,
   * for example a refusal of the job
   */
  run(input: unknown, options?: SubmitOptions): Promise<JobRecord>;
  /** One job in its present state. @throws an error with the code `job_not_found` */
  job(jobId: string): Promise<JobRecord>;
  /** All stored jobs, or the ones in one status, oldest submission first. */
  jobs(filter?: { readonly status?: JobStatus }): Promise<readonly JobRecord[]>;
}

export interface TestKitParts {
  readonly engine: WaitUses & StepPort & TimePort & HistoryPort & WakePort;
  readonly url: string;
  readonly lines: JobLines;
  /** The client is made at its first use. */
  readonly client: () => Promise<Client>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** @throws RangeError for an unknown endpoint */
export function endpointHandle(parts: TestKitParts, id: string): EndpointHandle {
  const { engine, url, lines } = parts;
  checkKnown(engine, id);
  const job = async (jobId: string) =>
    recordOf(await readContents(engine, { endpointId: id, jobId }), lines.of(jobId));
  const jobs = async ({ status }: { readonly status?: JobStatus } = {}) => {
    const found = await listContents(engine, id, status);
    return found.map((contents) => recordOf(contents, lines.of(contents.job.id))).toReversed();
  };
  return {
    id,
    url: `${url}/v2/${id}`,
    queue: queueOf(parts, id, { job, jobs }),
    job,
    jobs,
    async run(input, options) {
      const { id: jobId } = await (await parts.client()).endpoint(id).run(input, options);
      const { signal } = new AbortController();
      await holding(viewJobAtEnd(engine, { endpointId: id, jobId }, LIMITS.ttlMaxMs, signal));
      return job(jobId);
    },
  };
}

function queueOf(
  { engine }: TestKitParts,
  id: string,
  { job, jobs }: Pick<EndpointHandle, "job" | "jobs">,
): EndpointQueue {
  const isOnHold = () => engine.fleet.isOnHold(id);
  return {
    get isOnHold() {
      return isOnHold();
    },
    hold: () => holdQueue(engine, id),
    release: () => releaseQueue(engine, id),
    jobs: () => jobs({ status: "IN_QUEUE" }),
    async drain(limit) {
      const wasOnHold = isOnHold();
      const ended = new Set<string>();
      const unfollow = engine.events.follow((event) => {
        if (event.type !== "job" || event.endpointId !== id) return;
        if (event.to !== null && isTerminal(event.to)) ended.add(event.jobId);
      });
      try {
        await releaseQueue(engine, id);
        await holding(idle(engine, limit, id));
        return await Promise.all([...ended].map(job));
      } finally {
        unfollow();
        if (wasOnHold) holdQueue(engine, id);
      }
    },
  };
}

/** @throws NotIdleError */
export async function idle(
  engine: StepPort & TimePort & WorkerPort & HistoryPort & CatalogPort,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: WaitLimit = {},
  among?: string,
): Promise<void> {
  const limit = new AbortController();
  const disarm = engine.realClock.wakeAt(engine.realClock.now() + timeoutMs, () => limit.abort());
  const left = await untilIdle(engine, limit.signal, among).finally(disarm);
  if (left.jobs.length + left.underWay.length > 0) throw new NotIdleError(left, timeoutMs);
}

function checkKnown({ directory }: CatalogPort, id: string): void {
  if (directory.findEndpoint(id) !== undefined) return;
  const known = directory.endpoints().map((endpoint) => endpoint.id);
  const near = closestName(id, known);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  throw new RangeError(`there is no endpoint "${id}"${hint} Known are: ${known.join(", ")}`);
}
