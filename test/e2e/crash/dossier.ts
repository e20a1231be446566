/** The facts about one job, and the violations found in them. */
import type { Fact } from "./history.ts";

export type ViolationKind =
  /** A job that was acknowledged or handed over is unknown, or has no end. */
  | "lost"
  | "wrong-end"
  | "wrong-output"
  | "wrong-stream"
  /** A job ran again after its outcome was acknowledged. */
  | "run-again"
  | "stale-outcome-accepted"
  /** A job's end changed after it was seen. */
  | "end-changed"
  | "handed-over-twice"
  | "ran-unasked"
  | "submitted-twice"
  | "miscounted";

export interface Violation {
  readonly kind: ViolationKind;
  readonly says: string;
}

export type OfType<T extends Fact["type"]> = Extract<Fact, { type: T }>;

/** All facts about one job, and the moments in which the service was killed. */
export interface Dossier {
  readonly jobId: string;
  readonly facts: readonly Fact[];
  readonly kills: readonly number[];
}

/** The facts of these types. */
export function of<T extends Fact["type"]>(
  { facts }: { readonly facts: readonly Fact[] },
  ...types: T[]
): OfType<T>[] {
  return facts.filter((fact): fact is OfType<T> => (types as string[]).includes(fact.type));
}
