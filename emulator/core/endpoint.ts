/** An endpoint: the address of a queue, the template its workers are made of and the bounds of its scaling. */
import type { RetryRules } from "./job.ts";

export const SCALER_TYPES = ["QUEUE_DELAY", "REQUEST_COUNT"] as const;
export const COMPUTE_TYPES = ["GPU", "CPU"] as const;

/** Wishes about the machines of a data centre: kept and shown, but without effect where there is one machine. */
export interface PlacementWishes {
  readonly cpuFlavorIds?: readonly string[] | undefined;
  readonly vcpuCount?: number | undefined;
  readonly allowedCudaVersions?: readonly string[] | undefined;
  readonly minCudaVersion?: string | undefined;
  readonly dataCenterIds?: readonly string[] | undefined;
  readonly flashboot?: boolean | undefined;
}

export interface Endpoint extends PlacementWishes {
  /** 14 lower-case letters and digits; for a handler served from a file the handler's name. */
  readonly id: string;
  readonly name: string;
  readonly templateId: string;
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
  /** Seconds in the queue (QUEUE_DELAY) or jobs per worker (REQUEST_COUNT). */
  readonly scalerValue: number;
  /** The default of `policy.executionTimeout` for this endpoint's jobs. */
  readonly executionTimeoutMs: number;
  readonly retries: RetryRules;
  /** Grows when a change asks for new workers. */
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
}
