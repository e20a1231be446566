/** Port: what is kept, and the steps that change it. */
import type { Store } from "../../store/store.ts";
import type { Readiness } from "./readiness.ts";
import type { OwnedPartitions } from "./state/owned-partitions.ts";
import type { Steps } from "./steps.ts";

export interface StepPort {
  /** Runs steps, which change what is kept; and reads it. */
  readonly steps: Steps;
  /** Which endpoints this process decides for, where several share the store. */
  readonly ownership: OwnedPartitions;
  /** What is kept, for those who read or look after it in other ways than `steps` has. */
  readonly store: Store;
  /** Whether the service can do what it is asked for. */
  readonly readiness: Readiness;
}
