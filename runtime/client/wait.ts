/** Waits for a job's end by long polling. */
import { LIMITS } from "../protocol/limits.ts";
import type { JobStatus } from "../protocol/job-status.ts";
import { withDeadline } from "./clock.ts";
import { WaitTimeoutError } from "./errors/errors.ts";
import { completedOrThrow } from "./errors/job-error.ts";
import { readJob, type CompletedJob } from "./job.ts";
import type { Transport } from "./transport.ts";

export interface WaitOptions {
  /** Timeout, ms; default: none. The job goes on. */
  readonly timeoutMs?: number | undefined;
  /** Stops waiting. The job goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** The known state of the job before the wait. */
export interface Awaited {
  readonly id: string;
  readonly status?: JobStatus;
}

/** Minimum interval between two requests, ms. After an early answer the next request waits for the rest of it. */
const SHORTEST_POLL_MS = 500;

/**
 * The job when it is COMPLETED.
 *
 * @param statusSyncPath path of `/status-sync/{id}`
 * @throws JobFailedError, JobTimedOutError, JobCancelledError
 * @throws WaitTimeoutError
 */
export async function waitForJob<Output>(
  transport: Transport,
  statusSyncPath: string,
  awaited: Awaited,
  options: WaitOptions,
): Promise<CompletedJob<Output>> {
  const { clock } = transport.settings;
  const { timeoutMs, signal } = options;
  let lastStatus = awaited.status;
  const timedOut = (): Error => new WaitTimeoutError(awaited.id, timeoutMs ?? 0, lastStatus);
  const startedAt = clock.now();
  return withDeadline(clock, { timeoutMs, signal }, timedOut, async (either) => {
    for (;;) {
      const askedAt = clock.now();
      const wait = heldMs(timeoutMs, askedAt - startedAt);
      const answer = await transport.json({
        method: "GET",
        path: statusSyncPath,
        query: { wait },
        heldMs: wait,
        signal: either,
      });
      const job = readJob<Output>(answer);
      lastStatus = job.status;
      const completed = completedOrThrow(job);
      if (completed !== undefined) return completed;
      const restMs = SHORTEST_POLL_MS - (clock.now() - askedAt);
      if (restMs > 0) await clock.sleep(restMs, either);
    }
  });
}

/** The `wait` of a request: the default or the remaining time, if that is shorter, within the service's bounds. */
export function heldMs(
  timeoutMs: number | undefined,
  elapsedMs = 0,
  wantedMs: number = LIMITS.waitDefaultMs,
): number {
  if (timeoutMs === undefined) return wantedMs;
  const leftMs = Math.max(LIMITS.waitMinMs, Math.ceil(timeoutMs - elapsedMs));
  return Math.min(wantedMs, leftMs);
}
