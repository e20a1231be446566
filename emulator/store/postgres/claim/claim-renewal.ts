/**
 * Renews the claim over its own connection, and occasionally checks for old snapshots. The renewal is the first to notice that
 * the database cannot be reached, or that another replica has taken partitions over.
 */
import type { Clock } from "../../../core/time/clock.ts";
import { durationInWords } from "../../../core/time/duration.ts";
import { pause } from "../../../core/time/pause.ts";
import { fromPostgres } from "../connect/postgres-error.ts";
import type { Session } from "../connect/session.ts";
import type { Times } from "../options.ts";
import type { Claim } from "./claim.ts";
import type { SnapshotWatch } from "./snapshot-watch.ts";

export interface ClaimRenewalParts {
  readonly open: () => Promise<Session>;
  readonly claim: Claim;
  readonly clock: Clock;
  readonly times: Times;
  readonly snapshots: SnapshotWatch;
  /** The address of the database, for messages. */
  readonly shown: string;
  /** Renews the claim, and acts on what the renewal finds. @throws StoreLostError; what `pg` throws */
  readonly renew: (session: Session) => Promise<void>;
  /** Called with each connection before it is used. */
  readonly connected: (session: Session) => Promise<void>;
  readonly warn: (sentence: string) => void;
  /** Called with an error when the database becomes unreachable, and with undefined when it is reachable again. */
  readonly onRemoval: (away: Error | undefined) => void;
}

export class ClaimRenewal {
  readonly #parts: ClaimRenewalParts;
  readonly #closing = new AbortController();
  #hurry = new AbortController();
  /** Callers that wait for a renewal that begins after their call. */
  #waiting: (() => void)[] = [];
  readonly #running: Promise<void>;
  #session: Session | undefined;
  #isAway = false;

  constructor(parts: ClaimRenewalParts) {
    this.#parts = parts;
    this.#running = this.#run();
  }

  /** Starts the next renewal at once. */
  hurry(): void {
    this.#hurry.abort();
  }

  /** Resolves when a renewal that began after the call has succeeded, or after `close`. */
  async renewed(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const renewed = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.hurry();
    await renewed;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const resolve of this.#waiting.splice(0)) resolve();
    await this.#session?.end(() => this.#running);
    await this.#running;
    // A connection may have been opened meanwhile.
    await this.#session?.end();
  }

  async #run(): Promise<void> {
    const { claim, clock, times } = this.#parts;
    const { signal } = this.#closing;
    for (;;) {
      const dueAt = clock.now() + times.renewEvery;
      await pause(clock, times.renewEvery, AbortSignal.any([signal, this.#hurry.signal]));
      this.#noteStandstill(clock.now() - dueAt);
      if (signal.aborted || claim.lost !== undefined) return;
      this.#hurry = new AbortController();
      const waiting = this.#waiting.splice(0);
      if (await this.#renew()) for (const resolve of waiting) resolve();
      else this.#waiting.push(...waiting);
    }
  }

  async #renew(): Promise<boolean> {
    const { claim, snapshots, renew } = this.#parts;
    try {
      const session = await this.#connected();
      await renew(session);
      this.#say(undefined);
      await snapshots.look(session);
      return true;
    } catch (error) {
      // The session may be in the middle of a transaction.
      this.#session?.drop(error);
      // Other replicas may own the partitions by now.
      if (!claim.validity.isInForce) this.#say(error);
      return false;
    }
  }

  #noteStandstill(ms: number): void {
    const { claim, warn } = this.#parts;
    const leaseMs = claim.stoodStill(ms);
    if (leaseMs !== undefined)
      warn(
        `this process stalled for ${durationInWords(ms)}, again within 10 min: its machine is overloaded; its lease is ${durationInWords(leaseMs)} for now, and other replicas wait that long if it is killed`,
      );
  }

  async #connected(): Promise<Session> {
    const known = this.#session;
    if (known !== undefined && !known.isBroken) return known;
    this.#session = await this.#parts.open();
    await this.#parts.connected(this.#session);
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
