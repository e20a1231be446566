/** Asks a running emulator for everything that explains the state of a job. */
import { z } from "zod";
import type { Answers } from "../../../../runtime/protocol/generated/answers.ts";
import { type JobDetails, readJob } from "../find-job.ts";
import { lineSchema } from "../logs.ts";
import type { ServiceClient } from "../service-client.ts";

export interface WhyFacts {
  readonly job: JobDetails;
  /** Service time, ms since the epoch. */
  readonly now: number;
  /** Undefined if it was deleted. */
  readonly endpoint: EndpointFacts | undefined;
  /** Newest jobs of the endpoint; the job itself may be among them. */
  readonly others: readonly OtherJob[];
  /** Failed starts of workers of the endpoint that are in the log, the oldest first. */
  readonly failedStarts: readonly FailedStart[];
}

export interface EndpointFacts {
  readonly version: number;
  readonly workersMax: number;
  readonly inQueue: number;
  readonly workers: Pick<Answers["health"]["workers"], "idle" | "running" | "initializing">;
  /** Why its workers do not start, or failed: a sentence. */
  readonly problem?: string | undefined;
}

export type OtherJob = Pick<Answers["listJobs"]["jobs"][number], "id" | "status" | "version">;

export interface FailedStart {
  /** Service time, ms since the epoch. */
  readonly at: number;
  readonly version: number | undefined;
  readonly outOfMemory: boolean;
}

/** Maximum jobs of the endpoint that are compared. */
const OTHERS = 100;

/** @throws RefusedError, UnreachableError */
export async function factsOf(client: ServiceClient, jobId: string): Promise<WhyFacts> {
  const job = await readJob(client, jobId, "true");
  const { endpointId } = job;
  const endpoint = await endpointFacts(client, endpointId);
  const [{ now }, others, failedStarts] = await Promise.all([
    client.call("readClock", {}),
    endpoint ? client.call("listJobs", { endpointId, limit: String(OTHERS) }) : { jobs: [] },
    endpoint ? failedStartsOf(client, endpointId) : [],
  ]);
  return { job, now: Date.parse(now), endpoint, others: others.jobs, failedStarts };
}

async function endpointFacts(
  client: ServiceClient,
  endpointId: string,
): Promise<EndpointFacts | undefined> {
  const endpoints = await client.call("listEndpoints", {});
  const endpoint = endpoints.find(({ id }) => id === endpointId);
  if (endpoint === undefined) return undefined;
  const { jobs, workers, problem } = await client.call("health", { endpointId });
  const { version, workersMax } = endpoint;
  return { version, workersMax, inQueue: jobs.inQueue, workers, problem };
}

/** The beginning of the line that the service logs for a failed start. */
const NOT_INITIALIZED = "worker could not initialize";

const startLineSchema = lineSchema.extend({
  version: z.number().optional(),
  outOfMemory: z.boolean().optional(),
});

async function failedStartsOf(client: ServiceClient, endpointId: string): Promise<FailedStart[]> {
  const starts: FailedStart[] = [];
  for await (const { type, data } of client.events("logs", { endpointId, ended: "true" })) {
    if (type !== "log") continue;
    const line = startLineSchema.parse(JSON.parse(data));
    const { time, level, msg, source, version, outOfMemory = false } = line;
    const isStart = level === "error" && source === undefined && msg.startsWith(NOT_INITIALIZED);
    if (isStart) starts.push({ at: Date.parse(time), version, outOfMemory });
  }
  return starts;
}
