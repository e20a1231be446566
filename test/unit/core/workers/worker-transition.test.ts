/** The worker's state machine: the outcome of each event in each phase, refusals, and properties of any history. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { WorkerEffect, WorkerEvent } from "../../../../emulator/core/workers/worker-event.ts";
import {
  newLife,
  SHOWN_STATES,
  type WorkerEnd,
  type WorkerLife,
  type WorkerPhase,
} from "../../../../emulator/core/workers/worker-life.ts";
import { moveOf } from "../../../../emulator/core/workers/worker-transition.ts";

/** Transitions shared by all phases in which a worker can work, or may become able to. */
const AT_WORK = {
  retire: "retiring",
  "report-draining": "draining",
  "declare-lost": "lost",
  exit: "failed",
};

/** The result of each event in each phase, written out by hand; absent means refused. */
const EXPECTED: Record<WorkerPhase, Partial<Record<WorkerEvent, string>>> = {
  preparing: {
    ...AT_WORK,
    begin: "starting",
    "report-ready": "ready",
    "fail-health-check": "unhealthy",
    "health-timeout": "unhealthy",
    "fail-init": "init-failed",
  },
  starting: {
    ...AT_WORK,
    "report-ready": "ready",
    "fail-health-check": "unhealthy",
    "health-timeout": "unhealthy",
    "fail-init": "init-failed",
  },
  ready: {
    ...AT_WORK,
    begin: "ready",
    reinitialize: "starting",
    "fail-health-check": "unhealthy",
    "refuse-connection": "unhealthy",
    "fail-init": "init-failed",
    "lose-contact": "unresponsive",
  },
  unresponsive: {
    ...AT_WORK,
    begin: "unresponsive",
    "fail-init": "init-failed",
    "regain-contact": "ready",
  },
  unhealthy: {
    ...AT_WORK,
    begin: "unhealthy",
    "report-ready": "ready",
    reinitialize: "starting",
    "health-timeout": "unhealthy",
  },
  "init-failed": { ...AT_WORK, begin: "init-failed", "report-ready": "ready", retire: "draining" },
  retiring: { begin: "retiring", "send-drain": "draining", "declare-lost": "lost", exit: "gone" },
  draining: { begin: "draining", "declare-lost": "lost", exit: "gone" },
  lost: { exit: "failed", unregister: "gone" },
  failed: { forget: "gone" },
  gone: {},
};

const EVENTS: Record<WorkerEvent, true> = {
  begin: true,
  "report-ready": true,
  reinitialize: true,
  "fail-health-check": true,
  "refuse-connection": true,
  "health-timeout": true,
  "fail-init": true,
  "lose-contact": true,
  "regain-contact": true,
  retire: true,
  "send-drain": true,
  "report-draining": true,
  "declare-lost": true,
  exit: true,
  unregister: true,
  forget: true,
};
const events = Object.keys(EVENTS) as WorkerEvent[];
const at = { now: 2_000, realNow: 20 };

function lifeIn(phase: WorkerPhase, readyAt?: number): WorkerLife {
  return { ...newLife(10), phase, readyAt };
}

describe.each(Object.entries(EXPECTED))("a worker that is %s", (phase, expected) => {
  it.each(events)("accepts or refuses: %s", (event) => {
    const move = moveOf(lifeIn(phase as WorkerPhase), event, at);
    expect(move?.life.phase).toBe(expected[event]);
  });
});

describe("a move", () => {
  it("begins the bill when the worker is first ready", () => {
    const first = moveOf(lifeIn("unhealthy"), "report-ready", at);
    expect(first).toMatchObject({ life: { readyAt: 2_000 }, effects: ["bill", "announce"] });
    const again = moveOf(lifeIn("unhealthy", 1_000), "report-ready", at);
    expect(again).toMatchObject({ life: { readyAt: 2_000 }, effects: ["announce"] });
  });

  it("counts the drain time from the worker's notice, and stops when the worker can work again", () => {
    for (const [phase, event] of [
      ["ready", "fail-init"],
      ["ready", "report-draining"],
      ["retiring", "send-drain"],
    ] as const)
      expect(moveOf(lifeIn(phase), event, at)?.life.drainingSince, event).toBe(20);
    const broken = { ...lifeIn("init-failed"), drainingSince: 15 };
    expect(moveOf(broken, "retire", at)?.life.drainingSince).toBe(15);
    expect(moveOf(broken, "report-ready", at)?.life.drainingSince).toBeUndefined();
  });

  it("derives a worker's kind of end from its earlier state", () => {
    const ends: readonly (readonly [WorkerPhase, number | undefined, WorkerEnd])[] = [
      ["preparing", undefined, "not_initialized"],
      ["starting", 1_000, "not_initialized"],
      ["unhealthy", 1_000, "not_initialized"],
      ["init-failed", undefined, "not_initialized"],
      ["ready", 1_000, "unasked"],
      ["unresponsive", 1_000, "unasked"],
      ["lost", undefined, "not_initialized"],
      ["lost", 1_000, "lost"],
      ["retiring", undefined, "left"],
      ["draining", 1_000, "left"],
    ];
    for (const [phase, readyAt, end] of ends)
      expect(moveOf(lifeIn(phase, readyAt), "exit", at)?.life.end, phase).toBe(end);
  });
});

describe("in any history a worker", () => {
  const anyHistory = fc.record({
    beganAt: fc.constantFrom(undefined, 0),
    history: fc.array(fc.constantFrom(...events), { maxLength: 25 }),
  });

  interface Step {
    readonly life: WorkerLife;
    readonly effects: readonly WorkerEffect[];
  }

  /** The life after each event that was not refused. */
  function lived(beganAt: number | undefined, history: readonly WorkerEvent[]): Step[] {
    const steps: Step[] = [{ life: newLife(beganAt), effects: [] }];
    for (const [step, event] of history.entries()) {
      const life = lastOf(steps);
      const before = structuredClone(life);
      const move = moveOf(life, event, { now: step, realNow: step });
      expect(life).toEqual(before);
      if (move) steps.push(move);
    }
    return steps;
  }

  const lastOf = (steps: readonly Step[]) => steps.at(-1)?.life ?? newLife(undefined);
  const holds = (rule: (steps: readonly Step[]) => void) =>
    fc.assert(
      fc.property(anyHistory, ({ beganAt, history }) => rule(lived(beganAt, history))),
      { numRuns: 2_000 },
    );
  const phasesOf = (steps: readonly Step[]) => steps.map(({ life }) => life.phase);
  const effectsOf = (steps: readonly Step[]) => steps.flatMap(({ effects }) => effects);
  const count = (effects: readonly WorkerEffect[], effect: WorkerEffect) =>
    effects.filter((one) => one === effect).length;

  it("takes no further job after it is draining, lost or ended, and never changes after its end", () => {
    holds((steps) => {
      const phases = phasesOf(steps);
      const over = ["retiring", "draining", "lost", "failed", "gone"];
      const overAt = phases.findIndex((phase) => over.includes(phase));
      const after = overAt === -1 ? [] : phases.slice(overAt);
      expect(over).toEqual(expect.arrayContaining(after));
      expect(phases.slice(0, -1)).not.toContain("gone");
    });
  });

  it("is billed once, from its first readiness to its end", () => {
    holds((steps) => {
      const effects = effectsOf(steps);
      expect(count(effects, "bill")).toBe(phasesOf(steps).includes("ready") ? 1 : 0);
      const hasEnded = lastOf(steps).end !== undefined;
      expect(count(effects, "end")).toBe(hasEnded ? 1 : 0);
      if (hasEnded) expect(effects.slice(effects.indexOf("end") + 1)).not.toContain("bill");
    });
  });

  it("is asked to leave at most once, and leaves the fleet only after its end", () => {
    holds((steps) => {
      const effects = effectsOf(steps);
      expect(count(effects, "drain")).toBeLessThanOrEqual(1);
      expect(count(effects, "remove")).toBe(phasesOf(steps).includes("gone") ? 1 : 0);
    });
  });

  it("has an end time if and only if it has ended, and a ready time if it is ready", () => {
    holds((steps) => {
      for (const { life } of steps) {
        expect(life.end !== undefined).toBe(["failed", "gone"].includes(life.phase));
        if (SHOWN_STATES[life.phase] === "ready") expect(life.readyAt).toBeDefined();
        if (["init-failed", "draining"].includes(life.phase))
          expect(life.drainingSince).toBeDefined();
      }
    });
  });

  it("can be lost before its end, and then ends by the loss", () => {
    holds((steps) => {
      let life = lastOf(steps);
      for (const event of ["declare-lost", "exit", "forget"] as const)
        life = moveOf(life, event, at)?.life ?? life;
      expect(life.phase).toBe("gone");
    });
  });
});
