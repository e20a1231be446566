/**
 * The state machine of a worker, as data: what each event does in each phase of its life. `moveOf` interprets it, the
 * diagram in ARCHITECTURE.md is drawn from it, and each row says whether the rule is the contract's (`spec`), the live
 * service's (`live`) or ours. An event without a row for the phase is refused.
 */
import type { Moment, WorkerEffect, WorkerEvent } from "./worker-event.ts";
import type { WorkerEnd, WorkerLife, WorkerPhase } from "./worker-life.ts";

export interface Condition {
  /** Words for the diagram. */
  readonly says: string;
  test(life: WorkerLife): boolean;
}

export interface WorkerRow {
  readonly from: readonly WorkerPhase[] | "none";
  readonly event: WorkerEvent | "start" | "come-by-itself";
  /** The row applies only then; of several rows the first that applies counts. */
  readonly when?: Condition;
  readonly to: WorkerPhase;
  readonly source: "spec" | "live" | "ours";
  readonly says: string;
  /** What changes besides the phase. */
  readonly change?: (at: Moment) => Partial<Omit<WorkerLife, "phase">>;
  readonly effects?: readonly WorkerEffect[];
}

/** It can do its work, or may yet come to that. */
const AT_WORK = ["preparing", "starting", "ready", "silent", "sick"] as const;

const wasNeverReady: Condition = {
  says: "never was ready",
  test: ({ readyAt }) => readyAt === undefined,
};

const begins = ({ realNow }: Moment) => ({ beganAt: realNow });
const isReady = ({ now }: Moment) => ({ readyAt: now, leavingSince: undefined });
const leaves = ({ realNow }: Moment) => ({ leavingSince: realNow });
const endsAs = (end: WorkerEnd) => () => ({ end });

const startRows: readonly WorkerRow[] = [
  { from: "none", event: "start", to: "preparing", source: "spec", says: "the scaler wants it" },
  {
    from: "none",
    event: "come-by-itself",
    to: "starting",
    source: "live",
    says: "somebody else started it",
  },
  {
    from: ["preparing"],
    event: "begin",
    to: "starting",
    source: "ours",
    says: "its time to speak and to become ready begins",
    change: begins,
  },
  ...(["ready", "silent", "sick", "unfit", "finishing", "leaving"] as const).map(
    (phase): WorkerRow => ({
      from: [phase],
      event: "begin",
      to: phase,
      source: "ours",
      says: "its program runs only now",
      change: begins,
    }),
  ),
];

const healthRows: readonly WorkerRow[] = [
  {
    from: ["preparing", "starting", "sick", "unfit"],
    event: "become-ready",
    when: wasNeverReady,
    to: "ready",
    source: "live",
    says: "it is billed from here on: starting is free",
    change: isReady,
    effects: ["bill", "announce"],
  },
  {
    from: ["starting", "sick", "unfit"],
    event: "become-ready",
    to: "ready",
    source: "live",
    says: "it can do its work again",
    change: isReady,
    effects: ["announce"],
  },
  {
    from: ["ready", "sick"],
    event: "start-again",
    to: "starting",
    source: "live",
    says: "a server answers 204",
    effects: ["announce"],
  },
  {
    from: ["preparing", "starting", "ready"],
    event: "become-sick",
    to: "sick",
    source: "live",
    says: "out of rotation until it is healthy",
    effects: ["announce"],
  },
  {
    from: ["ready"],
    event: "be-unreachable",
    to: "sick",
    source: "ours",
    says: "no more requests until it is healthy",
    effects: ["announce"],
  },
  {
    from: ["preparing", "starting", "sick"],
    event: "give-up-hope",
    to: "sick",
    source: "live",
    says: "another takes its place as soon as it has ended",
    effects: ["kill"],
  },
  {
    from: ["preparing", "starting", "ready", "silent"],
    event: "fail-to-load",
    to: "unfit",
    source: "ours",
    says: "it should end by itself; one that does not is lost",
    change: leaves,
    effects: ["announce"],
  },
  {
    from: ["ready"],
    event: "fall-silent",
    to: "silent",
    source: "ours",
    says: "nobody knows whether it would look at a job",
  },
  {
    from: ["silent"],
    event: "speak",
    to: "ready",
    source: "ours",
    says: "it is there",
  },
];

const leaveRows: readonly WorkerRow[] = [
  {
    from: AT_WORK,
    event: "dismiss",
    to: "finishing",
    source: "spec",
    says: "what it holds has all the time it needs",
  },
  {
    from: ["unfit"],
    event: "dismiss",
    to: "leaving",
    source: "ours",
    says: "it knows already",
  },
  {
    from: ["finishing"],
    event: "tell-to-leave",
    to: "leaving",
    source: "ours",
    says: "told once, and only when its time for leaving may run",
    change: leaves,
    effects: ["drain"],
  },
  {
    from: [...AT_WORK, "unfit"],
    event: "say-it-leaves",
    to: "leaving",
    source: "ours",
    says: "it finishes what it holds",
    change: leaves,
    effects: ["announce"],
  },
];

const endRows: readonly WorkerRow[] = [
  {
    from: [...AT_WORK, "unfit", "finishing", "leaving"],
    event: "lose",
    to: "lost",
    source: "ours",
    says: "its jobs go back to the queue",
    effects: ["kill"],
  },
  {
    from: ["preparing", "starting", "sick", "unfit"],
    event: "exit",
    to: "failed",
    source: "ours",
    says: "it could not do its work, and its GPUs may be why",
    change: endsAs("not_initialized"),
    effects: ["end"],
  },
  {
    from: ["ready", "silent"],
    event: "exit",
    to: "failed",
    source: "ours",
    says: "nobody asked for it",
    change: endsAs("unasked"),
    effects: ["end"],
  },
  {
    from: ["lost"],
    event: "exit",
    when: wasNeverReady,
    to: "failed",
    source: "ours",
    says: "it never came to take a job",
    change: endsAs("not_initialized"),
    effects: ["end"],
  },
  {
    from: ["lost"],
    event: "exit",
    to: "failed",
    source: "ours",
    says: "it was ended, as it was to be",
    change: endsAs("lost"),
    effects: ["end"],
  },
  {
    from: ["finishing", "leaving"],
    event: "exit",
    to: "gone",
    source: "spec",
    says: "it has left",
    change: endsAs("left"),
    effects: ["end", "remove"],
  },
  {
    from: ["lost"],
    event: "vanish",
    to: "gone",
    source: "ours",
    says: "it came by itself: nobody tells of its end",
    change: endsAs("lost"),
    effects: ["end", "remove"],
  },
  {
    from: ["failed"],
    event: "forget",
    to: "gone",
    source: "ours",
    says: "it was counted as unhealthy for long enough",
    effects: ["remove"],
  },
];

export const WORKER_ROWS: readonly WorkerRow[] = [
  ...startRows,
  ...healthRows,
  ...leaveRows,
  ...endRows,
];
