/** Reads and advances service time. Everything that becomes due happens, in order; running handlers stay in real time. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Disarm } from "../../core/time/clock.ts";
import { invalidRequest } from "../../core/service-error.ts";
import { apply } from "../steps/apply.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "./time-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { Step } from "../steps/step.ts";
import type { Steps } from "../steps/steps.ts";

const RECORD_ID = "service";

/** Maximum number of due moments of an advance that are met exactly; even a busy service has fewer. */
const EXACT_STOPS = 1_000;
/** Number of strides for later due moments, which are met late, as on a busy machine, but in order. */
const STRIDES = 100;

/** Timeout of the last step if earlier steps have used up the time limit, ms of real time. */
const LAST_STEP_MS = 1_000;

/** Refusal of a service without such a clock. */
export const SHARED_CLOCK =
  "service time runs with real time where several emulators share the store: it cannot be advanced, and there is no manual clock";

type AdvanceUses = StepPort & TimePort & TellPort;

/** Instants are service time, ms since the epoch. */
export interface ClockReading {
  readonly now: number;
  /** Total time by which the clock was advanced, ms. */
  readonly offsetMs: number;
  /** Time of the next timer. Undefined if none is set. */
  readonly nextDueAt: number | undefined;
}

export interface Advance extends ClockReading {
  /** True when all work that timers started is done. */
  readonly settled: boolean;
  /** The work that is still in progress. */
  readonly underWay: readonly string[];
}

export function readClock({ clock }: TimePort): ClockReading {
  return { now: clock.now(), offsetMs: clock.offsetMs, nextDueAt: clock.nextWakeAt };
}

/** By how much earlier runs on the same store have advanced the clock, ms. */
export function storedOffsetMs({ records }: Pick<Steps, "records">): number {
  return records.find("clock", RECORD_ID)?.offsetMs ?? 0;
}

/**
 * Advances service time by `byMs` (ms, not negative) and resolves when the resulting work has settled: jobs deleted, workers
 * gone, deliveries made, and whatever else `pendingWork` tracks. Time stops at each due moment until its work has settled.
 * After 30 s of real time, or when `signal` aborts, it resolves with the work that is still in progress; time has advanced all
 * the same.
 * @throws ServiceError invalid_request beyond the bounds, and where several processes share the store; storage_full,
 *   shutting_down: time may then have advanced a part of the way
 */
export async function advanceClock(
  engine: AdvanceUses,
  byMs: number,
  signal: AbortSignal,
): Promise<Advance> {
  if (engine.ownership.isShared) throw invalidRequest([SHARED_CLOCK]);
  return engine.clock.moves.inTurn(() => advance(engine, byMs, signal));
}

async function advance(engine: AdvanceUses, byMs: number, signal: AbortSignal): Promise<Advance> {
  const { pendingWork, clock, tell } = engine;
  refuseTooMuch(clock.offsetMs + byMs);
  using limit = new TimeLimit(engine, LIMITS.clockSettleMs, signal);
  clock.catchUp();
  await pendingWork.settled(limit.over);
  let leftMs = byMs;
  for (let stops = 0; leftMs > 0; stops += 1) {
    const strideMs = limit.over.aborted ? leftMs : nextStrideMs(engine, leftMs, stops);
    await moveTime(engine, strideMs);
    leftMs -= strideMs;
    await pendingWork.settled(limit.over);
  }
  tell({ type: "clock", offsetMs: clock.offsetMs });
  // The last step gets some time even if earlier steps have used up theirs.
  using last = new TimeLimit(engine, LAST_STEP_MS, signal);
  const settled = await pendingWork.settled(last.over);
  return { ...readClock(engine), settled, underWay: pendingWork.underWay };
}

/** Ends after `ms` of real time, or with `signal`. */
class TimeLimit implements Disposable {
  readonly over: AbortSignal;
  readonly #disarm: Disarm;

  constructor({ realClock }: TimePort, ms: number, signal: AbortSignal) {
    const end = new AbortController();
    this.#disarm = realClock.wakeAt(realClock.now() + ms, () => end.abort());
    this.over = AbortSignal.any([end.signal, signal]);
  }

  [Symbol.dispose](): void {
    this.#disarm();
  }
}

function refuseTooMuch(offsetMs: number): void {
  const { clockOffsetMaxMs } = LIMITS;
  if (offsetMs <= clockOffsetMaxMs) return;
  throw invalidRequest([
    `advance would take service time ${offsetMs} ms ahead of real time; at most ${clockOffsetMaxMs} ms are possible`,
  ]);
}

/** Time until the next due moment; at least 1 ms, for a timer that is due and has not fired. */
function nextStrideMs({ clock }: TimePort, leftMs: number, stops: number): number {
  const leastMs = stops < EXACT_STOPS ? 1 : Math.ceil(leftMs / (EXACT_STOPS + STRIDES - stops));
  const toNextMs = (clock.nextWakeAt ?? Number.POSITIVE_INFINITY) - clock.now();
  return Math.min(leftMs, Math.max(leastMs, toNextMs));
}

/**
 * Service time and the values that must not move with it change in one step: other steps see both or neither, and so does a
 * restart after a kill.
 */
async function moveTime(engine: StepPort & TimePort, byMs: number): Promise<void> {
  const { clock } = engine;
  await engine.steps.commit((step) => {
    step.putRecord("clock", RECORD_ID, { offsetMs: clock.offsetMs + byMs });
    keepRealTime(step, byMs, clock.now());
    clock.shift(byMs);
    step.onFailure(() => clock.shift(-byMs));
  });
  clock.catchUp();
}

function keepRealTime(step: Step, byMs: number, now: number): void {
  const event = { type: "advance-clock", byMs } as const;
  for (const job of step.runningJobs()) apply(step, job, event, now);
}
