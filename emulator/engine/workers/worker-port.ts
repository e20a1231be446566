/** Port: the workers, and the hand-over of jobs. */
import type { Job } from "../../core/jobs/job.ts";
import type { LeaseTerms } from "../../core/jobs/lease-terms.ts";
import type { GpuInventory, GpuUse } from "../../core/workers/gpu-allocation.ts";
import type { Balancer } from "../balancing/balancer.ts";
import type { EarlyHandOvers } from "../jobs/hand-over/early-hand-overs.ts";
import type { StoredPayloads } from "../steps/effects.ts";
import type { Fleet } from "./fleet.ts";
import type { WorkerMover } from "./move-worker.ts";
import type { StallDetector } from "./stall-detector.ts";
import type { WorkerTokens } from "./worker-tokens.ts";

export interface WorkerPort {
  /** The workers, their sessions and their credit. */
  readonly fleet: Fleet;
  /** Applies events to workers, by the table of their phases. */
  readonly mover: WorkerMover;
  readonly tokens: WorkerTokens;
  /** Requests to load balancing endpoints: in flight, or waiting for a worker. */
  readonly balancer: Balancer;
  readonly lease: LeaseTerms;
  readonly early: EarlyHandOvers;
  /** Distinguishes silent workers from a stalled service. */
  readonly stallDetector: StallDetector;
  /** Reads the payloads of a job for its worker. Undefined if the job was deleted. Rejects if they cannot be read. */
  readonly jobPayloads: (job: Job) => Promise<StoredPayloads | undefined>;
  /** Present use of this machine's GPUs; empty if unknown. Never rejects. */
  readonly gpuUse: () => Promise<readonly GpuUse[]>;
  /** The GPUs of this machine; searched again while none is known. Never rejects. */
  readonly findGpus: () => Promise<GpuInventory>;
}
