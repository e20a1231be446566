/**
 * Samples the clock of the database with each renewal of the claim, and corrects leaps of that clock. One row keeps the offset
 * and the highest service time for all replicas. Only registered replicas change the row.
 */
import { iso } from "../../../core/time/iso.ts";
import type { Clock } from "../../../core/time/clock.ts";
import { durationInWords } from "../../../core/time/duration.ts";
import { type Leap, SampledTime } from "../../../core/time/sampled-time.ts";
import type { Session, Statement } from "../connect/session.ts";
import { bound, type Cell } from "../values/columns.ts";
import type { Registrant, Registration } from "./registration.ts";

/** Minimum difference between the clocks of the machine and the database that is logged. */
const DIFFERENCE_MS = 5_000;
/** Maximum number of samples at the start. */
const FIRST_SAMPLES = 3;

const ME = "me AS MATERIALIZED (SELECT 1 FROM replica WHERE id = $1 AND term = $2 FOR KEY SHARE)";
const SAMPLE = `WITH ${ME} UPDATE service_clock SET highest = greatest(highest, $3::bigint) FROM me
  RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint, offset_ms, highest`;
const TAKE_BACK = `WITH ${ME} UPDATE service_clock SET offset_ms = $4::bigint FROM me WHERE offset_ms = $3::bigint RETURNING 1`;
const OTHERS = "SELECT 1 FROM replica WHERE id <> $1 AND knows_time LIMIT 1";

export interface ServiceTimeParts {
  /** Monotonic. */
  readonly clock: Clock;
  /** The wall clock of the machine, ms. */
  readonly wall: () => number;
  readonly warn: (sentence: string) => void;
}

/** A sample on its way. */
export interface Asked {
  readonly at: number;
  readonly statement: Statement;
}

export interface Answered {
  readonly row: readonly Cell[] | undefined;
  /** Whether another live replica knows the time. */
  readonly isKnownElsewhere: boolean;
}

export class ServiceTime {
  readonly clock: SampledTime;
  readonly #parts: ServiceTimeParts;
  #clockAheadMs = 0;
  #isToldOf = false;
  #offsetMs = 0;

  constructor(parts: ServiceTimeParts) {
    this.#parts = parts;
    this.clock = new SampledTime(parts.clock);
  }

  /** Lead of the machine's clock over the clock of the database, ms. */
  get clockAheadMs(): number {
    return this.#clockAheadMs;
  }

  /** Warnings about clocks for an operator, one sentence each. */
  get notes(): readonly string[] {
    const ahead = this.#clockAheadMs;
    const offset = this.#offsetMs;
    const notes = [
      this.#isToldOf && `the clock of this machine is ${side(ahead)} the database's`,
      Math.abs(offset) > DIFFERENCE_MS &&
        `service time is ${side(offset)} the clock of the database, which has leapt`,
      !this.clock.isKnown && "service time is unknown for now, so nothing expires",
    ];
    return notes.filter((note) => note !== false);
  }

  /** Takes the first samples. The time is known afterwards, unless another replica has to provide it. */
  async begin(session: Session, who: Registrant, registration: Registration): Promise<void> {
    for (let samples = 0; samples < FIRST_SAMPLES && !this.clock.isKnown; samples += 1) {
      const others = await session.ask({ text: OTHERS, values: [who.id] });
      const asked = this.ask(who, registration);
      const { rows } = await session.ask(asked.statement);
      const isKnownElsewhere = others.rows.length > 0;
      await this.heard(session, asked, { row: rows[0], isKnownElsewhere });
    }
  }

  ask({ id }: Registrant, { term }: Registration): Asked {
    const told = this.clock.isKnown ? this.clock.now() : 0;
    const values = [id, bound(term), bound(told)];
    return {
      at: this.#parts.clock.now(),
      statement: { name: "sample-time", text: SAMPLE, values },
    };
  }

  /**
   * Call this with the answers of one renewal. Returns true after a leap, when another sample is needed. Throws what `pg` throws.
   */
  async heard(
    session: Pick<Session, "ask">,
    { at: askedAt, statement }: Asked,
    { row, isKnownElsewhere }: Answered,
  ): Promise<boolean> {
    if (row === undefined) return false;
    const answeredAt = this.#parts.clock.now();
    const [databaseAt = 0, offsetMs = 0, highest = 0] = row.map(Number);
    this.#compare(databaseAt, answeredAt - askedAt);
    this.#offsetMs = offsetMs;
    const times = { askedAt, answeredAt, databaseAt, offsetMs, highest, isKnownElsewhere };
    const leap = this.clock.take(times);
    if (leap === undefined) return false;
    const [id, term] = statement.values ?? [];
    const values = [id, term, bound(offsetMs), bound(leap.offsetMs)];
    const { rows } = await session.ask({ name: "take-back-leap", text: TAKE_BACK, values });
    if (rows.length > 0) this.#parts.warn(leapInWords(leap));
    return true;
  }

  #compare(databaseAt: number, tripMs: number): void {
    const { wall, warn } = this.#parts;
    const machineAt = wall();
    const aheadMs = Math.round(machineAt - databaseAt - tripMs / 2);
    this.#clockAheadMs = aheadMs;
    const isFar = Math.abs(aheadMs) > DIFFERENCE_MS + tripMs;
    if (isFar && !this.#isToldOf) warn(differenceInWords(machineAt, machineAt - aheadMs));
    this.#isToldOf = isFar;
  }
}

function leapInWords({ expected, found }: Leap): string {
  const by = durationInWords(Math.abs(found - expected));
  return `the clock of the database leapt ${found > expected ? "ahead" : "back"} by ${by}: it says ${iso(found)} where ${iso(expected)} was expected; service time continues from there`;
}

function differenceInWords(machineAt: number, databaseAt: number): string {
  return `the clock of this machine is ${side(machineAt - databaseAt)} the database's: ${iso(machineAt)} against ${iso(databaseAt)}; it only affects timestamps in the log`;
}

function side(aheadMs: number): string {
  return `${durationInWords(Math.abs(aheadMs))} ${aheadMs > 0 ? "ahead of" : "behind"}`;
}
