/** A short script of jobs that together pass through all states, and the checks after a kill in it. */
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { eventually } from "../jobs/observe.ts";
import type { Expectation } from "./history-checker.ts";
import type { Fact, History } from "./history.ts";
import { RecordingClient } from "./recording-client.ts";

/** Above the size at which payloads become files. */
const BALLAST = "x".repeat(300_000);
const CHUNKS = ["one", { two: 2 }, [3], "four", "five"];

/** `parked` has no workers, so that its jobs stay in the queue. */
export const SCRIPT_ENDPOINTS = {
  jobs: { fixture: "writes-its-history.ts", workers: 1 },
  streams: { fixture: "streams-its-history.ts", workers: 1 },
  parked: { fixture: "writes-its-history.ts", workers: 0 },
} as const;

const ENDS: Readonly<Record<string, Expectation>> = {
  plain: { statuses: ["COMPLETED"] },
  heavy: { statuses: ["COMPLETED"], output: { ballast: BALLAST } },
  dies: { statuses: ["COMPLETED"] },
  streams: { statuses: ["COMPLETED"], chunks: CHUNKS },
  // A hand-over that a kill kept from its worker counts as the attempt that had to fail.
  fails: { statuses: ["FAILED", "COMPLETED"], afterRetry: "COMPLETED" },
  // The script stops the wait; after a kill the second attempt does not wait any more.
  waits: { statuses: ["COMPLETED"] },
  parked: { statuses: ["CANCELLED"] },
};

export function endOf(marker: string): Expectation {
  const kind = marker.split("-")[0] ?? "";
  return ENDS[kind] ?? { statuses: ["COMPLETED"] };
}

export class Script implements AsyncDisposable {
  readonly #history: History;
  readonly #clients: Readonly<Record<keyof typeof SCRIPT_ENDPOINTS, RecordingClient>>;

  constructor(history: History, url: string) {
    this.#history = history;
    this.#clients = {
      jobs: new RecordingClient(history, url, "jobs"),
      streams: new RecordingClient(history, url, "streams"),
      parked: new RecordingClient(history, url, "parked"),
    };
  }

  /** Whether the script came to its end; it breaks off with the first broken connection. */
  async play(): Promise<boolean> {
    const { jobs, streams, parked } = this.#clients;
    const steps = [
      () => this.#toItsEnd(jobs, { marker: "heavy-1", ballast: BALLAST }),
      () => this.#toItsEnd(streams, { marker: "streams-1", chunks: CHUNKS, pauseMs: 5 }),
      () => this.#retried(jobs, { marker: "fails-1", firstAttempt: "fails" }),
      () => this.#toItsEnd(jobs, { marker: "plain-1" }),
      () => this.#cancelled(parked, { marker: "parked-1" }, "IN_QUEUE"),
      () => this.#cancelled(jobs, { marker: "waits-1", firstAttempt: "waits" }, "IN_PROGRESS"),
      () => this.#toItsEnd(jobs, { marker: "dies-1", firstAttempt: "dies" }),
      () => this.#atOnce(jobs, ["plain-2", "plain-3", "plain-4"]),
    ];
    for (const step of steps) if (!(await step())) return false;
    return true;
  }

  /** Brings every job to an end after a restart, and looks at each. */
  async settle(): Promise<void> {
    const { jobs, streams, parked } = this.#clients;
    // An unanswered submission may have made a job with an unknown id.
    await this.#cancelOpen(parked, "parked-");
    await eventually("every job has ended", async () => {
      await this.#cancelOpen(jobs, "waits-");
      const counts = [(await jobs.health()).jobs, (await streams.health()).jobs];
      return counts.every((count) => count.inQueue + count.inProgress === 0) ? true : undefined;
    });
    for (const [jobId, marker] of this.#knownJobs()) {
      const client = clientFor(this.#clients, marker);
      await client.look(jobId);
      if (marker.startsWith("streams-")) await client.readStream(jobId);
    }
    const completed = [await jobs.health(), await streams.health()];
    this.#history.add({
      type: "counted",
      completed: completed.reduce((sum, { jobs: counts }) => sum + counts.completed, 0),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of Object.values(this.#clients)) await client[Symbol.asyncDispose]();
  }

  async #toItsEnd(client: RecordingClient, input: Input): Promise<boolean> {
    const jobId = await client.submit({ workMs: 1, ...input });
    return jobId !== undefined && client.waitForEnd(jobId);
  }

  async #atOnce(client: RecordingClient, markers: readonly string[]): Promise<boolean> {
    const ends = await Promise.all(markers.map((marker) => this.#toItsEnd(client, { marker })));
    return ends.every(Boolean);
  }

  async #retried(client: RecordingClient, input: Input): Promise<boolean> {
    const jobId = await client.submit({ workMs: 1, ...input });
    if (jobId === undefined || !(await client.waitForEnd(jobId))) return false;
    return (await client.retry(jobId)) && client.waitForEnd(jobId);
  }

  async #cancelled(
    client: RecordingClient,
    input: Input,
    from: "IN_QUEUE" | "IN_PROGRESS",
  ): Promise<boolean> {
    const jobId = await client.submit({ workMs: 1, ...input });
    if (jobId === undefined) return false;
    const isThere = await eventually(`${input.marker} is ${from}`, async () => {
      if (!(await client.look(jobId))) return false;
      return statusOf(this.#history.facts(), jobId) === from ? true : undefined;
    });
    return isThere && client.cancel(jobId);
  }

  async #cancelOpen(client: RecordingClient, prefix: string): Promise<void> {
    for (const [jobId, marker] of this.#knownJobs()) {
      if (!marker.startsWith(prefix)) continue;
      await client.look(jobId);
      const status = statusOf(this.#history.facts(), jobId);
      if (status !== undefined && !isTerminal(status)) await client.cancel(jobId);
    }
  }

  /** Ids and markers of jobs that were answered, or that ran. */
  #knownJobs(): Map<string, string> {
    const named = this.#history
      .facts()
      .filter((fact) => fact.type === "submitted" || fact.type === "started");
    return new Map(named.map(({ jobId, marker }) => [jobId, marker]));
  }
}

interface Input {
  readonly marker: string;
  readonly [name: string]: unknown;
}

function clientFor(
  clients: Readonly<Record<keyof typeof SCRIPT_ENDPOINTS, RecordingClient>>,
  marker: string,
): RecordingClient {
  if (marker.startsWith("streams-")) return clients.streams;
  return marker.startsWith("parked-") ? clients.parked : clients.jobs;
}

function statusOf(facts: readonly Fact[], jobId: string) {
  const seen = facts.filter((fact) => fact.type === "seen" && fact.jobId === jobId).at(-1);
  return seen?.type === "seen" ? seen.status : undefined;
}
