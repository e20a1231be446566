/**
 * Renews the claim on a connection of its own, and looks now and then at what holds the server back. It is the first to notice
 * that the database cannot be reached, or that another process has taken it over.
 */
import type { Clock } from "../../../core/time/clock.ts";
import { pause } from "../connect/patience.ts";
import { fromPostgres, isConnectionLoss } from "../connect/postgres-error.ts";
import type { Session } from "../connect/session.ts";
import type { Times } from "../options.ts";
import type { Claim } from "./claim.ts";
import type { SnapshotWatch } from "./snapshot-watch.ts";

export interface KeeperParts {
  readonly open: () => Promise<Session>;
  readonly claim: Claim;
  readonly clock: Clock;
  readonly times: Times;
  readonly snapshots: SnapshotWatch;
  /** The address of the database, for messages. */
  readonly shown: string;
  /** Hears that the database cannot be reached, and with undefined that it can be again. */
  readonly onRemoval: (away: Error | undefined) => void;
}

export class Keeper {
  readonly #parts: KeeperParts;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #session: Session | undefined;
  #isAway = false;
  /** Until then nobody else can have claimed anything: counted from before the renewal was sent. */
  #trustedUntil: number;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#trustedUntil = parts.clock.now() + parts.times.lease;
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#session?.end(() => this.#running);
    await this.#running;
    // One that was being opened.
    await this.#session?.end();
  }

  async #run(): Promise<void> {
    const { claim, clock, times } = this.#parts;
    const { signal } = this.#closing;
    for (;;) {
      await pause(clock, times.renewEvery, signal);
      if (signal.aborted || claim.lost !== undefined) return;
      await this.#renew();
    }
  }

  async #renew(): Promise<void> {
    const { claim, clock, times, snapshots } = this.#parts;
    const startedAt = clock.now();
    try {
      const session = await this.#connected();
      await claim.prolong(session);
      this.#trustedUntil = startedAt + times.lease;
      this.#say(undefined);
      await snapshots.look(session);
    } catch (error) {
      if (isConnectionLoss(error)) this.#session?.drop();
      // Others may have it by now.
      if (clock.now() >= this.#trustedUntil) this.#say(error);
    }
  }

  async #connected(): Promise<Session> {
    const known = this.#session;
    if (known !== undefined && !known.isBroken) return known;
    this.#session = await this.#parts.open();
    return this.#session;
  }

  #say(error: unknown): void {
    const { claim, onRemoval, shown } = this.#parts;
    const isAway = error !== undefined;
    if (isAway === this.#isAway || claim.lost !== undefined) return;
    this.#isAway = isAway;
    onRemoval(isAway ? fromPostgres(error, shown) : undefined);
  }
}
