/** Port: wakes the parts that a change concerns, after the commit. */
import type { Turns } from "../../core/turns.ts";
import type { PayloadDamagedError } from "../../store/payload.ts";
import type { EarlyChunks } from "../streams/early-chunks.ts";
import type { JobWatchers } from "./job-watchers.ts";
import type { Assignment } from "./effects.ts";

/** A job that cannot be handed to its worker. */
export interface InputDamage {
  readonly jobId: string;
  readonly damage: PayloadDamagedError;
}

export interface WakePort {
  /** The settings, workers or jobs of an endpoint changed. */
  readonly endpointChanged: (endpointId: string) => void;
  readonly endpointDeleted: (endpointId: string) => void;
  readonly podChanged: (podId: string) => void;
  readonly webhookDue: () => void;
  /** A job cannot be handed to its worker. */
  readonly inputDamaged: (damage: InputDamage) => void;
  /** A job was handed over, but could not be sent. */
  readonly notSent: (assignment: Assignment) => void;
  /** Requests that wait for the end or the chunks of a job. */
  readonly watchers: JobWatchers;
  /** Chunks that are shown before they are durable. */
  readonly earlyChunks: EarlyChunks;
  /** Changes of webhook deliveries, one after another. */
  readonly deliveries: Turns;
}
