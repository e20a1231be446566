/**
 * Stores the highest service time, and compares it with the machine's clock at the next start. While a service runs, its time
 * follows the monotonic clock; a start knows only the wall clock.
 *
 * - A wall clock that is behind is ignored: service time goes on from the stored one.
 * - One that is more than an hour ahead is followed. Deletions that are due only because of this are held for 10 minutes: an
 * operator may correct the clock and restart, or hold them for as long as the service runs.
 */
import { iso } from "../../core/time/iso.ts";
import { durationInWords } from "../../core/time/duration.ts";
import { dueAt } from "../../core/jobs/job-due.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "./time-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { Steps } from "../steps/steps.ts";
import { storedOffsetMs } from "./advance-clock.ts";

const RECORD_ID = "highest";
/** Interval between two writes of it. */
const KEPT_EVERY_MS = 60_000;
/** Maximum time between two runs for which the wall clock is trusted. */
const GAP_MS = 3_600_000;
/** Time for which deletions are held. */
const HELD_MS = 600_000;
/** Maximum number of deletions that are counted. */
const COUNTED = 10_000;

type KeptUses = StepPort & TimePort & TellPort & WakePort;

/** The clock that service time follows from this start on. */
export function clockSinceHighest(steps: Pick<Steps, "records">, wall: Clock): Clock {
  const behindMs = highestOf(steps) - storedOffsetMs(steps) - wall.now();
  if (behindMs <= 0) return wall;
  return {
    now: () => wall.now() + behindMs,
    wakeAt: (at, wake) => wall.wakeAt(at - behindMs, wake),
  };
}

export class KeptTime {
  readonly #engine: KeptUses;
  #disarmKeep: () => void;
  #disarmRelease: () => void = () => undefined;

  constructor(engine: KeptUses) {
    this.#engine = engine;
    this.#disarmKeep = this.#keepLater();
  }

  /** Call it before anything expires. @param wallAt the machine's clock at the start */
  async begin(wallAt: number): Promise<void> {
    const { clock, log, realClock, steps } = this.#engine;
    const before = highestOf(steps);
    const now = clock.now();
    const wall = wallAt + clock.offsetMs;
    if (before > wall + KEPT_EVERY_MS) log.warn({}, behindInWords(wall, before));
    const gapMs = now - before;
    if (before === 0 || gapMs <= GAP_MS) return;
    const held = await this.#dueBetween(before, now);
    if (held === 0) return;
    clock.holdBack(gapMs);
    log.warn({ held }, heldInWords(held, before, now));
    this.#disarmRelease = realClock.wakeAt(realClock.now() + HELD_MS, () => this.#release());
  }

  async stop(): Promise<void> {
    this.#disarmKeep();
    this.#disarmRelease();
    await this.#keep();
  }

  #release(): void {
    const { clock, dueTimer, log, webhookDue } = this.#engine;
    if (!clock.letGo()) return;
    log.info({}, "deletions are no longer held");
    dueTimer.aim(clock.now());
    webhookDue();
  }

  #keepLater(): () => void {
    const { realClock } = this.#engine;
    return realClock.wakeAt(realClock.now() + KEPT_EVERY_MS, () => {
      this.#disarmKeep = this.#keepLater();
      void this.#keep();
    });
  }

  /** Time that may not have passed is not stored as passed. */
  async #keep(): Promise<void> {
    const { clock, steps } = this.#engine;
    const highest = clock.deletesUpTo();
    await steps
      .commit((step) => step.putRecord("clock", RECORD_ID, { offsetMs: 0, highest }))
      // The next value may be stored.
      .catch(() => undefined);
  }

  async #dueBetween(from: number, to: number): Promise<number> {
    const { steps } = this.#engine;
    const isBetween = (at: number) => at > from && at <= to;
    const cold = await steps.read((reads) => reads.dueJobs(to, COUNTED));
    const hot = steps.jobsInMemory(({ status }) => status === "IN_PROGRESS");
    return (
      cold.filter((job) => isBetween(dueAt(job))).length +
      hot.filter(({ ttlAt }) => isBetween(ttlAt)).length
    );
  }
}

function highestOf({ records }: Pick<Steps, "records">): number {
  return records.find("clock", RECORD_ID)?.highest ?? 0;
}

function behindInWords(wall: number, before: number): string {
  return `the clock of this machine is ${durationInWords(before - wall)} behind the service time of the last run: ${iso(wall)} against ${iso(before)}; service time goes on from there`;
}

function heldInWords(held: number, before: number, now: number): string {
  const count = held >= COUNTED ? `${COUNTED} or more` : String(held);
  return `the clock of this machine is ${durationInWords(now - before)} ahead of the service time of the last run: ${iso(now)} against ${iso(before)}; ${count} jobs would be deleted only because of this and are held for 10 minutes: if the clock is wrong, correct it and restart, or hold them with sv-emulate clock hold`;
}
