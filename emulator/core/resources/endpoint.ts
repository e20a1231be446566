/** An endpoint: the address of a queue or of servers, the template its workers are made of and the bounds of its scaling. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { RetryRules } from "../jobs/job.ts";
import type { VolumeChoice } from "./network-volume.ts";

/**
 * - `QUEUE`: jobs go through a queue to the handlers of workers
 * - `LOAD_BALANCING`: requests go directly to the HTTP servers that the workers are
 */
export const ENDPOINT_TYPES = ["QUEUE", "LOAD_BALANCING"] as const;
export type EndpointType = (typeof ENDPOINT_TYPES)[number];

export const SCALER_TYPES = ["QUEUE_DELAY", "REQUEST_COUNT"] as const;
export const COMPUTE_TYPES = ["GPU", "CPU"] as const;

/**
 * Preferences about the machines of a data centre: kept and shown, but without effect where there is one machine. Those about CUDA
 * have one where the driver of its GPUs says which it has.
 */
export interface PlacementPreferences {
  readonly cpuFlavorIds?: readonly string[] | undefined;
  readonly vcpuCount?: number | undefined;
  readonly allowedCudaVersions?: readonly string[] | undefined;
  readonly minCudaVersion?: string | undefined;
  readonly dataCenterIds?: readonly string[] | undefined;
  readonly flashboot?: boolean | undefined;
}

export interface Endpoint extends PlacementPreferences, VolumeChoice {
  /** 14 lower-case letters and digits; for a handler served from a file the handler's name. */
  readonly id: string;
  readonly name: string;
  readonly templateId: string;
  /** Fixed for life. */
  readonly type: EndpointType;
  readonly computeType: (typeof COMPUTE_TYPES)[number];
  /** GPU type names in priority order. */
  readonly gpuTypeIds: readonly string[];
  /** GPUs of each worker. */
  readonly gpuCount: number;
  readonly workersMin: number;
  readonly workersMax: number;
  /** Seconds (spec's unit; every other duration here is in ms) a worker stays without a job before it is stopped. */
  readonly idleTimeout: number;
  readonly scalerType: (typeof SCALER_TYPES)[number];
  /** Seconds in the queue (QUEUE_DELAY), which may be a fraction, or jobs or requests per worker (REQUEST_COUNT). */
  readonly scalerValue: number;
  /** The default of `policy.executionTimeout` for this endpoint's jobs; 0: as long as a job may take at all (live). */
  readonly executionTimeoutMs: number;
  readonly retries: RetryRules;
  /** Requests by which each running worker raises the rate limits, 1 or more (spec's term; the setting is ours). */
  readonly requestsPerWorker: number;
  /** Grows when a change asks for new workers. */
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** How long a job of the endpoint may execute that does not say so itself, ms. */
export function executionLimitMs({ executionTimeoutMs }: Pick<Endpoint, "executionTimeoutMs">) {
  return executionTimeoutMs === 0 ? LIMITS.executionTimeoutMaxMs : executionTimeoutMs;
}

/** Where there is no queue, nothing can wait in it: the rest of the sentence whose subject is `scalerType`. */
export function scalerProblem(
  type: EndpointType | undefined,
  scalerType: Endpoint["scalerType"] | undefined,
): string | undefined {
  if (type !== "LOAD_BALANCING" || scalerType !== "QUEUE_DELAY") return undefined;
  return 'must be REQUEST_COUNT for an endpoint of the type LOAD_BALANCING; got "QUEUE_DELAY"';
}

export function defaultScalerType(type: EndpointType | undefined): Endpoint["scalerType"] {
  return type === "LOAD_BALANCING" ? "REQUEST_COUNT" : "QUEUE_DELAY";
}
