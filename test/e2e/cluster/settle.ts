/** Finishes jobs that no client follows, and checks everything once more after the faults. */
import { setTimeout as delay } from "node:timers/promises";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { eventually } from "../jobs/observe.ts";
import type { FleetClient, KnownJob } from "./fleet-client.ts";
import { endpointOf, kindOf } from "./load.ts";
import { readWhole } from "./read-stream.ts";

const LOOK_EVERY_MS = 3_000;
const LIMIT_MS = 120_000;
const LANES = 8;

/** Finishes jobs with an unanswered submission, if a handler has begun them. */
export class Gleaner {
  readonly #client: FleetClient;
  readonly #pinned = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(client: FleetClient) {
    this.#client = client;
  }

  async run(stop: AbortSignal): Promise<void> {
    while (!stop.aborted && !this.#client.isOver) {
      await delay(LOOK_EVERY_MS);
      await this.glean();
    }
  }

  /** Keeps jobs from expiring, and ends those that must be cancelled. */
  async glean(): Promise<void> {
    const client = this.#client;
    const known = new Set(jobsOf(client.history.told()).map(({ jobId }) => jobId));
    for (const job of jobsOf(client.history.appended())) {
      const { jobId, marker } = job;
      if (known.has(jobId) || this.#ended.has(jobId)) continue;
      const shown = await client.look(job, this.#pinned.has(jobId) ? "status" : "pin");
      this.#pinned.add(jobId);
      if (shown === undefined || isTerminal(shown.status)) this.#ended.add(jobId);
      else if (kindOf(marker) === "waits") await client.change(job, "cancel");
    }
  }
}

/** Looks at every job when all have ended, reads every stream, and asks for the service's own count. */
export async function settle(
  client: FleetClient,
  gleaner: Gleaner,
  letters: readonly string[],
): Promise<void> {
  const endpoints = letters.flatMap((letter) => [`jobs-${letter}`, `streams-${letter}`]);
  await eventually(
    "every job has ended",
    async () => {
      await gleaner.glean();
      const all = await Promise.all(endpoints.map((id) => countsOf(client, id)));
      return all.every(({ inQueue, inProgress }) => inQueue + inProgress === 0) ? true : undefined;
    },
    LIMIT_MS,
    // The checker reports what is still open then.
  ).catch(() => undefined);
  const jobs = jobsOf(client.history.facts()).values();
  const lane = async () => {
    for (const job of jobs) {
      await client.look(job);
      if (kindOf(job.marker) === "streams") await readWhole(client, job);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const all = await Promise.all(endpoints.map((id) => countsOf(client, id)));
  const completed = all.reduce((sum, counts) => sum + counts.completed, 0);
  client.history.add({ type: "counted", completed });
}

async function countsOf(client: FleetClient, endpointId: string) {
  const answer = await client.insist({ operation: "health", path: `/v2/${endpointId}/health` });
  const none = { completed: 0, inQueue: Infinity, inProgress: 0 };
  if (answer?.status !== 200) return none;
  return (JSON.parse(answer.text) as { jobs: typeof none }).jobs;
}

/** Jobs that were acknowledged, or that ran. */
function jobsOf(facts: ReturnType<FleetClient["history"]["facts"]>): KnownJob[] {
  const named = facts.filter((fact) => fact.type === "submitted" || fact.type === "started");
  const markers = new Map(named.map(({ jobId, marker }) => [jobId, marker]));
  return [...markers].map(([jobId, marker]) => ({ jobId, marker, endpointId: endpointOf(marker) }));
}
