/** Port: the stored state, and the steps that change it. */
import type { Store } from "../../store/store.ts";
import type { Readiness } from "./readiness.ts";
import type { OwnedPartitions } from "./state/owned-partitions.ts";
import type { Steps } from "./steps.ts";

export interface StepPort {
  /** Runs steps, and reads the stored state. */
  readonly steps: Steps;
  /** The endpoints that this process owns, if several processes share the store. */
  readonly ownership: OwnedPartitions;
  /** Read-only access to the stored state. */
  readonly store: Store;
  /** Whether the service can work. */
  readonly readiness: Readiness;
}
