/** Reads and advances service time. Everything that is due on the way happens, in order; handlers that run keep real time. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Disarm } from "../../core/time/clock.ts";
import { invalidRequest } from "../../core/service-error.ts";
import { apply } from "../jobs/apply.ts";
import type { Uses } from "../context.ts";

/** Under which service time is kept; there is one. */
const RECORD_ID = "service";

/** The first due moments of an advance are met exactly; so many that not even a busy service has more. */
const EXACT_STOPS = 1_000;
/** What is due after them is met in this many strides: late, as on a busy machine, but in order. */
const STRIDES = 100;

/** How long the last step is waited for when the steps before it have used up all patience (real time). */
const LAST_MOMENT_MS = 1_000;

/** Instants are service time, ms since the epoch. */
export interface ClockReading {
  readonly now: number;
  /** By how much the clock has been advanced in all. */
  readonly offsetMs: number;
  /** Until then nothing happens by the passing of time alone; undefined if nothing will. */
  readonly nextDueAt: number | undefined;
}

export interface Advance extends ClockReading {
  /** True when all work that time set off is done. */
  readonly settled: boolean;
  /** What still goes on if it is not. */
  readonly underWay: readonly string[];
}

export function readClock({ clock }: Uses<"clock">): ClockReading {
  return { now: clock.now(), offsetMs: clock.offsetMs, nextDueAt: clock.nextWakeAt };
}

/** By how much earlier runs on the same store have advanced the clock, ms. */
export async function storedOffsetMs({ store }: Uses<"store">): Promise<number> {
  const record = await store.read((view) => view.record("clock", RECORD_ID));
  return record?.offsetMs ?? 0;
}

/**
 * Advances service time by `byMs` (ms, not negative) and resolves when the work this set off has settled: jobs deleted,
 * workers asked to leave and gone, deliveries made, and whatever else is tracked as pendingWork. On the way time stops at
 * each moment something is due until that has settled. Those who would wait for longer than 30 s of real time, or whose
 * `signal` aborts, are answered with what still goes on; time has moved the whole way even then.
 *
 * @throws ServiceError invalid_request beyond the bounds; storage_full, shutting_down, and then time may have moved a
 *   part of the way
 */
export function advanceClock(
  engine: Uses<"clock" | "events" | "pendingWork" | "realClock" | "steps">,
  byMs: number,
  signal: AbortSignal,
): Promise<Advance> {
  return engine.clock.inTurn(() => advance(engine, byMs, signal));
}

async function advance(
  engine: Uses<"clock" | "events" | "pendingWork" | "realClock" | "steps">,
  byMs: number,
  signal: AbortSignal,
): Promise<Advance> {
  const { pendingWork, clock, events } = engine;
  refuseTooMuch(clock.offsetMs + byMs);
  using patience = new Patience(engine, LIMITS.clockSettleMs, signal);
  clock.catchUp();
  await pendingWork.settled(patience.over);
  let leftMs = byMs;
  for (let stops = 0; leftMs > 0; stops += 1) {
    const strideMs = patience.over.aborted ? leftMs : nextStrideMs(engine, leftMs, stops);
    await moveTime(engine, strideMs);
    leftMs -= strideMs;
    await pendingWork.settled(patience.over);
  }
  events.publish({ type: "clock", offsetMs: clock.offsetMs });
  // What was slow is no reason not to wait for what is quick.
  using moment = new Patience(engine, LAST_MOMENT_MS, signal);
  const settled = await pendingWork.settled(moment.over);
  return { ...readClock(engine), settled, underWay: pendingWork.underWay };
}

/** Ends after `ms` of real time, or with `signal`. */
class Patience implements Disposable {
  readonly over: AbortSignal;
  readonly #disarm: Disarm;

  constructor({ realClock }: Uses<"realClock">, ms: number, signal: AbortSignal) {
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

/** To the next due moment. One whose moment has come, but not its timer, is met in the next millisecond. */
function nextStrideMs({ clock }: Uses<"clock">, leftMs: number, stops: number): number {
  const leastMs = stops < EXACT_STOPS ? 1 : Math.ceil(leftMs / (EXACT_STOPS + STRIDES - stops));
  const toNextMs = (clock.nextWakeAt ?? Number.POSITIVE_INFINITY) - clock.now();
  return Math.min(leftMs, Math.max(leastMs, toNextMs));
}

/**
 * Service time and what must not move with it change in one commit, and within the transaction: no other one sees the
 * one without the other, and a service that is killed goes on with both or neither.
 */
async function moveTime(engine: Uses<"clock" | "steps">, byMs: number): Promise<void> {
  const { clock } = engine;
  await engine.steps.commit(async (tx, effects) => {
    await tx.putRecord("clock", RECORD_ID, { offsetMs: clock.offsetMs + byMs });
    const event = { type: "advance-clock", byMs } as const;
    for (const job of await tx.runningJobs({})) await apply(tx, effects, job, event, clock.now());
    clock.shift(byMs);
    effects.onFailure(() => clock.shift(-byMs));
  });
  clock.catchUp();
}
