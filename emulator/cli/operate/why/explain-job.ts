/** Asks a running emulator for all that bears on a job, and says in one paragraph why it stands where it does. */
import { z } from "zod";
import {
  clockSchema,
  endpointsSchema,
  healthSchema,
  jobDetailsSchema,
  jobsSchema,
  logLineSchema,
  type ShownJob,
} from "../answers.ts";
import type { ServiceClient } from "../service-client.ts";

export interface WhyFacts {
  readonly job: ShownJob;
  /** Service time, ms since the epoch. */
  readonly now: number;
  /** Undefined once it is deleted. */
  readonly endpoint: EndpointFacts | undefined;
  /** Newest jobs of the endpoint; the job itself may be among them. */
  readonly others: readonly OtherJob[];
  /** Starts of workers of the endpoint that came to nothing, as the log has them, the oldest first. */
  readonly failedStarts: readonly FailedStart[];
}

export interface EndpointFacts {
  readonly version: number;
  readonly workersMax: number;
  readonly inQueue: number;
  readonly workers: {
    readonly idle: number;
    readonly running: number;
    readonly initializing: number;
  };
}

export interface OtherJob {
  readonly id: string;
  readonly status: string;
  readonly version?: number | undefined;
}

export interface FailedStart {
  /** Service time, ms since the epoch. */
  readonly at: number;
  readonly version: number | undefined;
  readonly outOfMemory: boolean;
  /** The message of the failure; may be empty. */
  readonly message: string;
}

/** Maximum of the endpoint's jobs that are looked at. */
const OTHERS = 100;

/** @throws RefusedError, UnreachableError */
export async function factsOf(client: ServiceClient, jobId: string): Promise<WhyFacts> {
  const path = `/emulator/jobs/${encodeURIComponent(jobId)}?brief=true`;
  const job = await client.get(path, jobDetailsSchema);
  const endpoint = await endpointFacts(client, job.endpointId);
  const query = new URLSearchParams({ endpointId: job.endpointId, limit: String(OTHERS) });
  const [{ now }, others, failedStarts] = await Promise.all([
    client.get("/emulator/clock", clockSchema),
    endpoint ? client.get(`/emulator/jobs?${query.toString()}`, jobsSchema) : { jobs: [] },
    endpoint ? failedStartsOf(client, job.endpointId) : [],
  ]);
  return { job, now: Date.parse(now), endpoint, others: others.jobs, failedStarts };
}

async function endpointFacts(
  client: ServiceClient,
  endpointId: string,
): Promise<EndpointFacts | undefined> {
  const endpoints = await client.get("/v1/endpoints", endpointsSchema);
  const endpoint = endpoints.find(({ id }) => id === endpointId);
  if (endpoint === undefined) return undefined;
  const path = `/v2/${encodeURIComponent(endpointId)}/health`;
  const { jobs, workers } = await client.get(path, healthSchema);
  const { version, workersMax } = endpoint;
  return { version, workersMax, inQueue: jobs.inQueue, workers };
}

/** The line with which the service records such an end begins so. */
const NOT_INITIALIZED = "worker could not initialize";

async function failedStartsOf(client: ServiceClient, endpointId: string): Promise<FailedStart[]> {
  const query = new URLSearchParams({ endpointId, ended: "true" });
  const starts: FailedStart[] = [];
  /** What workers themselves said of why they cannot start. */
  const said = new Map<string, string>();
  for await (const { type, data } of client.events(`/emulator/logs?${query.toString()}`)) {
    if (type !== "log") continue;
    const line = startLineSchema.parse(JSON.parse(data));
    const { time, level, msg, source, workerId = "", version, outOfMemory = false } = line;
    if (level !== "error" || source !== undefined) continue;
    if (!msg.startsWith(NOT_INITIALIZED)) said.set(workerId, msg);
    else
      starts.push({
        at: Date.parse(time),
        version,
        outOfMemory,
        message: said.get(workerId) ?? "",
      });
  }
  return starts;
}

const startLineSchema = logLineSchema.extend({
  version: z.number().optional(),
  outOfMemory: z.boolean().optional(),
});
