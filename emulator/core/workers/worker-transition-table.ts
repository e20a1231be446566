/**
 * The state machine of a worker as a table: what each event does in each phase of its life. `moveOf` interprets it, and the
 * diagram in docs/state-machines.md is generated from it. Each row names the source of its rule: the contract (`spec`), the live
 * service (`live`) or ours. An event without a row for the phase is refused.
 */
import type { Moment, WorkerEffect, WorkerEvent } from "./worker-event.ts";
import type { WorkerEnd, WorkerLife, WorkerPhase } from "./worker-life.ts";

export interface Condition {
  /** Text for the diagram. */
  readonly says: string;
  test(life: WorkerLife): boolean;
}

export interface WorkerRow {
  readonly from: readonly WorkerPhase[] | "none";
  readonly event: WorkerEvent | "start" | "register";
  /** Condition of the row; the first row that applies counts. */
  readonly when?: Condition;
  readonly to: WorkerPhase;
  readonly source: "spec" | "live" | "ours";
  readonly says: string;
  /** Changes besides the phase. */
  readonly change?: (at: Moment) => Partial<Omit<WorkerLife, "phase">>;
  readonly effects?: readonly WorkerEffect[];
}

/** Phases in which the worker can work, or may become able to. */
export const ACTIVE = ["preparing", "starting", "ready", "unresponsive", "unhealthy"] as const;

const wasNeverReady: Condition = {
  says: "never was ready",
  test: ({ readyAt }) => readyAt === undefined,
};

const begins = ({ realNow }: Moment) => ({ beganAt: realNow });
const isReady = ({ now }: Moment) => ({ readyAt: now, drainingSince: undefined });
const leaves = ({ realNow }: Moment) => ({ drainingSince: realNow });
const endsAs = (end: WorkerEnd) => () => ({ end });

const startRows: readonly WorkerRow[] = [
  { from: "none", event: "start", to: "preparing", source: "spec", says: "the scaler wants it" },
  {
    from: "none",
    event: "register",
    to: "starting",
    source: "live",
    says: "started outside of the service",
  },
  {
    from: ["preparing"],
    event: "begin",
    to: "starting",
    source: "ours",
    says: "the limits of its start count from here",
    change: begins,
  },
  ...(["ready", "unresponsive", "unhealthy", "init-failed", "retiring", "draining"] as const).map(
    (phase): WorkerRow => ({
      from: [phase],
      event: "begin",
      to: phase,
      source: "ours",
      says: "its program has just started",
      change: begins,
    }),
  ),
];

const healthRows: readonly WorkerRow[] = [
  {
    from: ["preparing", "starting", "unhealthy", "init-failed"],
    event: "report-ready",
    when: wasNeverReady,
    to: "ready",
    source: "live",
    says: "it is billed from here on: starting is free",
    change: isReady,
    effects: ["bill", "announce"],
  },
  {
    from: ["starting", "unhealthy", "init-failed"],
    event: "report-ready",
    to: "ready",
    source: "live",
    says: "it can do its work again",
    change: isReady,
    effects: ["announce"],
  },
  {
    from: ["ready", "unhealthy"],
    event: "reinitialize",
    to: "starting",
    source: "live",
    says: "a server answers 204",
    effects: ["announce"],
  },
  {
    from: ["preparing", "starting", "ready"],
    event: "fail-health-check",
    to: "unhealthy",
    source: "live",
    says: "it gets no requests until it is healthy",
    effects: ["announce"],
  },
  {
    from: ["ready"],
    event: "refuse-connection",
    to: "unhealthy",
    source: "ours",
    says: "it gets no requests until it is healthy",
    effects: ["announce"],
  },
  {
    from: ["preparing", "starting", "unhealthy"],
    event: "health-timeout",
    to: "unhealthy",
    source: "live",
    says: "another worker replaces it as soon as it has exited",
    effects: ["kill"],
  },
  {
    from: ["preparing", "starting", "ready", "unresponsive"],
    event: "fail-init",
    to: "init-failed",
    source: "ours",
    says: "it should exit by itself, or it is lost",
    change: leaves,
    effects: ["announce"],
  },
  {
    from: ["ready"],
    event: "lose-contact",
    to: "unresponsive",
    source: "ours",
    says: "it gets no job until it sends a message",
  },
  {
    from: ["unresponsive"],
    event: "regain-contact",
    to: "ready",
    source: "ours",
    says: "it works again",
  },
];

const leaveRows: readonly WorkerRow[] = [
  {
    from: ACTIVE,
    event: "retire",
    to: "retiring",
    source: "spec",
    says: "the jobs it holds may take as long as they need",
  },
  {
    from: ["init-failed"],
    event: "retire",
    to: "draining",
    source: "ours",
    says: "it knows that it has to leave",
  },
  {
    from: ["retiring"],
    event: "send-drain",
    to: "draining",
    source: "ours",
    says: "it is told once; the limit for leaving counts from then",
    change: leaves,
    effects: ["drain"],
  },
  {
    from: [...ACTIVE, "init-failed"],
    event: "report-draining",
    to: "draining",
    source: "ours",
    says: "it finishes the jobs it holds",
    change: leaves,
    effects: ["announce"],
  },
];

const endRows: readonly WorkerRow[] = [
  {
    from: [...ACTIVE, "init-failed", "retiring", "draining"],
    event: "declare-lost",
    to: "lost",
    source: "ours",
    says: "its jobs go back to the queue",
    effects: ["kill"],
  },
  {
    from: ["preparing", "starting", "unhealthy", "init-failed"],
    event: "exit",
    to: "failed",
    source: "ours",
    says: "it could not start work, perhaps because of its GPUs",
    change: endsAs("not_initialized"),
    effects: ["end"],
  },
  {
    from: ["ready", "unresponsive"],
    event: "exit",
    to: "failed",
    source: "ours",
    says: "it exited by itself",
    change: endsAs("unasked"),
    effects: ["end"],
  },
  {
    from: ["lost"],
    event: "exit",
    when: wasNeverReady,
    to: "failed",
    source: "ours",
    says: "it never became ready",
    change: endsAs("not_initialized"),
    effects: ["end"],
  },
  {
    from: ["lost"],
    event: "exit",
    to: "failed",
    source: "ours",
    says: "it was killed because it was lost",
    change: endsAs("lost"),
    effects: ["end"],
  },
  {
    from: ["retiring", "draining"],
    event: "exit",
    to: "gone",
    source: "spec",
    says: "it has left",
    change: endsAs("left"),
    effects: ["end", "remove"],
  },
  {
    from: ["lost"],
    event: "unregister",
    to: "gone",
    source: "ours",
    says: "it is external: its exit is not reported",
    change: endsAs("lost"),
    effects: ["end", "remove"],
  },
  {
    from: ["failed"],
    event: "forget",
    to: "gone",
    source: "ours",
    says: "it was counted as unhealthy until the next start was due",
    effects: ["remove"],
  },
];

export const WORKER_ROWS: readonly WorkerRow[] = [
  ...startRows,
  ...healthRows,
  ...leaveRows,
  ...endRows,
];
