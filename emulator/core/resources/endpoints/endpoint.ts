/** An endpoint: the address of a queue or of servers, with a template for its workers and the bounds of scaling. */
import type { RetryRules } from "../../jobs/job.ts";
import type { VolumeChoice } from "../network-volumes/network-volume.ts";

/**
 * - `QUEUE`: jobs go through a queue to the handlers of workers
 * - `LOAD_BALANCING`: requests go directly to the HTTP servers of workers
 */
export const ENDPOINT_TYPES = ["QUEUE", "LOAD_BALANCING"] as const;
export type EndpointType = (typeof ENDPOINT_TYPES)[number];

export const SCALER_TYPES = ["QUEUE_DELAY", "REQUEST_COUNT"] as const;
export const STREAM_MODES = ["durable"] as const;
export const COMPUTE_TYPES = ["GPU", "CPU"] as const;

/**
 * Preferences about data centres and machines. They are kept and shown. Only those about CUDA have an effect, if the GPU driver
 * tells its version.
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
  /** 14 lower-case letters and digits; the handler's name for a handler served from a file. */
  readonly id: string;
  readonly name: string;
  readonly templateId: string;
  /** Cannot be changed. */
  readonly type: EndpointType;
  readonly computeType: (typeof COMPUTE_TYPES)[number];
  /** GPU type names in order of priority. */
  readonly gpuTypeIds: readonly string[];
  readonly gpuCount: number;
  readonly workersMin: number;
  readonly workersMax: number;
  /** Seconds without a job after which a worker is stopped. The unit is the spec's; every other duration here is in ms. */
  readonly idleTimeout: number;
  readonly scalerType: (typeof SCALER_TYPES)[number];
  /** QUEUE_DELAY: seconds in the queue, which may be a fraction. REQUEST_COUNT: jobs or requests per worker. */
  readonly scalerValue: number;
  /** Default of `policy.executionTimeout` for the endpoint's jobs; 0: the maximum of a job (live). */
  readonly executionTimeoutMs: number;
  readonly retries: RetryRules;
  /** Requests that each running worker adds to the rate limits, at least 1 (spec's term; the setting is ours). */
  readonly requestsPerWorker: number;
  /** When readers get chunks; undefined: at once from workers that end with the service, otherwise when they are durable (ours). */
  readonly streams?: (typeof STREAM_MODES)[number] | undefined;
  /** A counter that grows when workers must be replaced. */
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}

/** The rest of a sentence with the subject `scalerType`. Without a queue there is no wait in it. */
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
