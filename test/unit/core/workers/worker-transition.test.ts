/** The worker's state machine: what each event does in each phase, what it refuses, and what holds after any history. */
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

/** What happens alike to all that can do their work, or may yet come to that. */
const AT_WORK = { dismiss: "finishing", "say-it-leaves": "leaving", lose: "lost", exit: "failed" };

/** What each event leads to in each phase, written out by hand; absent means refused. */
const EXPECTED: Record<WorkerPhase, Partial<Record<WorkerEvent, string>>> = {
  preparing: {
    ...AT_WORK,
    begin: "starting",
    "become-ready": "ready",
    "become-sick": "sick",
    "give-up-hope": "sick",
    "fail-to-load": "unfit",
  },
  starting: {
    ...AT_WORK,
    "become-ready": "ready",
    "become-sick": "sick",
    "give-up-hope": "sick",
    "fail-to-load": "unfit",
  },
  ready: {
    ...AT_WORK,
    begin: "ready",
    "start-again": "starting",
    "become-sick": "sick",
    "be-unreachable": "sick",
    "fail-to-load": "unfit",
    "fall-silent": "silent",
  },
  silent: { ...AT_WORK, begin: "silent", "fail-to-load": "unfit", speak: "ready" },
  sick: {
    ...AT_WORK,
    begin: "sick",
    "become-ready": "ready",
    "start-again": "starting",
    "give-up-hope": "sick",
  },
  unfit: { ...AT_WORK, begin: "unfit", "become-ready": "ready", dismiss: "leaving" },
  finishing: { begin: "finishing", "tell-to-leave": "leaving", lose: "lost", exit: "gone" },
  leaving: { begin: "leaving", lose: "lost", exit: "gone" },
  lost: { exit: "failed", vanish: "gone" },
  failed: { forget: "gone" },
  gone: {},
};

const EVENTS: Record<WorkerEvent, true> = {
  begin: true,
  "become-ready": true,
  "start-again": true,
  "become-sick": true,
  "be-unreachable": true,
  "give-up-hope": true,
  "fail-to-load": true,
  "fall-silent": true,
  speak: true,
  dismiss: true,
  "tell-to-leave": true,
  "say-it-leaves": true,
  lose: true,
  exit: true,
  vanish: true,
  forget: true,
};
const events = Object.keys(EVENTS) as WorkerEvent[];
const at = { now: 2_000, realNow: 20 };

function lifeIn(phase: WorkerPhase, readyAt?: number): WorkerLife {
  return { ...newLife(10), phase, readyAt };
}

describe.each(Object.entries(EXPECTED))("a worker that is %s", (phase, expected) => {
  it.each(events)("takes or refuses: %s", (event) => {
    const move = moveOf(lifeIn(phase as WorkerPhase), event, at);
    expect(move?.life.phase).toBe(expected[event]);
  });
});

describe("a move", () => {
  it("begins the bill only when the worker is ready for the first time", () => {
    const first = moveOf(lifeIn("sick"), "become-ready", at);
    expect(first).toMatchObject({ life: { readyAt: 2_000 }, effects: ["bill", "announce"] });
    const again = moveOf(lifeIn("sick", 1_000), "become-ready", at);
    expect(again).toMatchObject({ life: { readyAt: 2_000 }, effects: ["announce"] });
  });

  it("counts the time for leaving from when the worker knows, and no more when it can work again", () => {
    for (const [phase, event] of [
      ["ready", "fail-to-load"],
      ["ready", "say-it-leaves"],
      ["finishing", "tell-to-leave"],
    ] as const)
      expect(moveOf(lifeIn(phase), event, at)?.life.leavingSince, event).toBe(20);
    const unfit = { ...lifeIn("unfit"), leavingSince: 15 };
    expect(moveOf(unfit, "dismiss", at)?.life.leavingSince).toBe(15);
    expect(moveOf(unfit, "become-ready", at)?.life.leavingSince).toBeUndefined();
  });

  it("says how a worker ended by what it was", () => {
    const ends: readonly (readonly [WorkerPhase, number | undefined, WorkerEnd])[] = [
      ["preparing", undefined, "not_initialized"],
      ["starting", 1_000, "not_initialized"],
      ["sick", 1_000, "not_initialized"],
      ["unfit", undefined, "not_initialized"],
      ["ready", 1_000, "unasked"],
      ["silent", 1_000, "unasked"],
      ["lost", undefined, "not_initialized"],
      ["lost", 1_000, "lost"],
      ["finishing", undefined, "left"],
      ["leaving", 1_000, "left"],
    ];
    for (const [phase, readyAt, end] of ends)
      expect(moveOf(lifeIn(phase, readyAt), "exit", at)?.life.end, phase).toBe(end);
  });
});

describe("whatever happens, a worker", () => {
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

  it("takes no job again once it is to leave, is lost or has ended, and gone is final", () => {
    holds((steps) => {
      const phases = phasesOf(steps);
      const over = ["finishing", "leaving", "lost", "failed", "gone"];
      const overAt = phases.findIndex((phase) => over.includes(phase));
      const after = overAt === -1 ? [] : phases.slice(overAt);
      expect(over).toEqual(expect.arrayContaining(after));
      expect(phases.slice(0, -1)).not.toContain("gone");
    });
  });

  it("is billed once, from when it is first ready to its end", () => {
    holds((steps) => {
      const effects = effectsOf(steps);
      expect(count(effects, "bill")).toBe(phasesOf(steps).includes("ready") ? 1 : 0);
      const hasEnded = lastOf(steps).end !== undefined;
      expect(count(effects, "end")).toBe(hasEnded ? 1 : 0);
      if (hasEnded) expect(effects.slice(effects.indexOf("end") + 1)).not.toContain("bill");
    });
  });

  it("is told to leave once at most, and taken out of the fleet when it is gone and only then", () => {
    holds((steps) => {
      const effects = effectsOf(steps);
      expect(count(effects, "drain")).toBeLessThanOrEqual(1);
      expect(count(effects, "remove")).toBe(phasesOf(steps).includes("gone") ? 1 : 0);
    });
  });

  it("knows of its end when it has ended, and was found ready when it is", () => {
    holds((steps) => {
      for (const { life } of steps) {
        expect(life.end !== undefined).toBe(["failed", "gone"].includes(life.phase));
        if (SHOWN_STATES[life.phase] === "ready") expect(life.readyAt).toBeDefined();
        if (["unfit", "leaving"].includes(life.phase)) expect(life.leavingSince).toBeDefined();
      }
    });
  });

  it("can be lost until it has ended, and comes to its end by that", () => {
    holds((steps) => {
      let life = lastOf(steps);
      for (const event of ["lose", "exit", "forget"] as const)
        life = moveOf(life, event, at)?.life ?? life;
      expect(life.phase).toBe("gone");
    });
  });
});
