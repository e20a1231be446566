/** The heartbeat of a worker of the live dialect: it names the jobs that the worker holds. */
import type { LiveAddresses } from "./addresses.ts";
import { answerText, type LiveHttp } from "./http.ts";
import { reasonOf } from "../../protocol/reason-of.ts";
import type { WorkerLog } from "../../protocol/worker-log.ts";
import { pause } from "./live-times.ts";

export interface PingOptions {
  readonly http: LiveHttp;
  readonly addresses: LiveAddresses;
  readonly intervalMs: number;
  /** `sv-runtime/1.2.3` */
  readonly version: string;
  readonly log: WorkerLog;
  readonly signal: AbortSignal;
  readonly heldJobs: () => readonly string[];
}

/** Maximum jobs of one ping. With more, its address would be too long for servers. */
const JOBS_AT_ONCE = 100;
/** Maximum characters of a reason (live). */
const REASON_CHARACTERS = 256;

/** Pings from now on until `signal` aborts. Never rejects. */
export async function pingForever(options: PingOptions): Promise<void> {
  const { addresses, intervalMs, version, log, signal, heldJobs } = options;
  if (addresses.ping({}) === undefined) {
    return log.write(
      "info",
      "no address for pings is set: the queue notices this worker only by its jobs",
    );
  }
  let hasFailed = false;
  while (!signal.aborted) {
    const at = performance.now();
    const pings = jobIdTexts(heldJobs()).map((ids) =>
      ping(options, { job_id: ids, runpod_version: version }),
    );
    const problem = (await Promise.all(pings)).find((text) => text !== undefined);
    // Logged once per outage: the next ping may succeed.
    if (problem !== undefined && !hasFailed && !signal.aborted) {
      log.write("warn", `the queue does not receive this worker's pings: ${problem}`);
    }
    hasFailed = problem !== undefined;
    await pause(at + intervalMs - performance.now(), signal);
  }
}

/** The job ids of each ping; one ping without ids if there are no jobs. */
function jobIdTexts(held: readonly string[]): readonly (string | undefined)[] {
  if (held.length === 0) return [undefined];
  const count = Math.ceil(held.length / JOBS_AT_ONCE);
  return Array.from({ length: count }, (_, at) =>
    held.slice(at * JOBS_AT_ONCE, (at + 1) * JOBS_AT_ONCE).join(","),
  );
}

/** Reports that this worker cannot work. Never rejects. */
export async function pingUnhealthy(options: PingOptions, reason: string): Promise<void> {
  await ping(options, {
    status: "unhealthy",
    check: "handler",
    reason: reason.slice(0, REASON_CHARACTERS).toWellFormed(),
    runpod_version: options.version,
  });
}

/** Sends a ping; resolves with the reason if it failed. */
async function ping(
  { addresses, http, intervalMs, signal }: PingOptions,
  query: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const url = addresses.ping(query);
  if (url === undefined) return undefined;
  try {
    const answer = await http.get(url, 2 * intervalMs, signal);
    return answer.status < 300 ? undefined : answerText(answer);
  } catch (error) {
    return reasonOf(error);
  }
}
