/**
 * The claim of one process to partitions of the database. Every batch transaction locks its replica's row and the owner rows of
 * its partitions, so ownership cannot change during the batch. A replica that has lost a partition cannot write to it.
 */
import { StoreInUseError, StoreLostError } from "../../../core/store-error.ts";
import type { Clock } from "../../../core/time/clock.ts";
import { pause } from "../../../core/time/pause.ts";
import { isLocked } from "../connect/postgres-error.ts";
import type { Session } from "../connect/session.ts";
import { HeldPartitions } from "./held-partitions.ts";
import { Lease } from "./lease.ts";
import { SeenRenewals } from "./seen-renewals.ts";
import type { ServiceTime } from "./service-time.ts";
import {
  type Fence,
  register,
  type Registrant,
  type Registration,
  type Told,
} from "./registration.ts";
import type { ClaimValidity } from "./claim-validity.ts";

const LOCKED =
  "another emulator that is starting has locked the database and hangs; end it, or try again";
const TAKEN = "has taken the database over; nothing more is stored here";

/** Interval between attempts to claim at the start. */
const LOOK_EVERY_MS = 250;

export class Claim {
  readonly who: Registrant;
  readonly held = new HeldPartitions();
  readonly validity: ClaimValidity;
  readonly time: ServiceTime;
  /** Renewals of the other replicas that this process has seen. */
  readonly seen = new SeenRenewals();
  readonly #lease: Lease;
  readonly #onLost: (lost: StoreLostError) => void;
  /** Undefined before the first registration, and while the row is gone and not yet replaced. */
  #registration: Registration | undefined;
  #atStart: Registration | undefined;
  #lost: StoreLostError | undefined;

  constructor(
    who: Registrant,
    { validity, time }: { readonly validity: ClaimValidity; readonly time: ServiceTime },
    onLost: (lost: StoreLostError) => void,
  ) {
    this.who = who;
    this.validity = validity;
    this.time = time;
    this.#lease = new Lease(who.leaseMs);
    this.#onLost = onLost;
  }

  /** Whether other replicas may share the database. */
  get isShared(): boolean {
    return this.who.address !== undefined;
  }

  /** The error of all calls once the claim is lost for good. */
  get lost(): StoreLostError | undefined {
    return this.#lost;
  }

  get registration(): Registration | undefined {
    return this.#registration;
  }

  get atStart(): Registration {
    if (this.#atStart === undefined) throw new Error("nothing was claimed");
    return this.#atStart;
  }

  /**
   * Registers at the start, and learns the service time. Returns the reason for a refusal. A database lock held by another
   * starting emulator is also a refusal.
   */
  async enter(session: Session): Promise<string | undefined> {
    try {
      const refusal = await this.register(session);
      const registration = this.#registration;
      if (registration !== undefined) await this.time.begin(session, this.who, registration);
      return refusal;
    } catch (error) {
      if (!isLocked(error)) throw error;
      await session.ask({ text: "ROLLBACK" });
      return LOCKED;
    }
  }

  /** Makes the row. Returns the reason for a refusal, or undefined after success. Throws what `pg` throws. */
  async register(session: Session): Promise<string | undefined> {
    const startedAt = this.validity.now();
    const who = { ...this.who, leaseMs: this.#askForLease() };
    const registered = await register(session, who, this.seen);
    if ("refusal" in registered) return registered.refusal;
    this.validity.renew(startedAt);
    const { registration } = registered;
    this.#atStart ??= registration;
    this.#registration = registration;
    this.held.hold(registration.epochs);
    return undefined;
  }

  /** Call this when the row is gone. All partitions are lost, and `register` may make a new row. */
  unregister(registration: Registration): void {
    if (this.#registration !== registration) return;
    this.#registration = undefined;
    this.held.lose(this.held.all);
  }

  /** The facts about this replica that a renewal stores. */
  told(hasBegun: boolean): Told {
    const { clock, clockAheadMs } = this.time;
    const leaseMs = this.#askForLease();
    return { knowsTime: clock.isKnown, now: clock.now(), clockAheadMs, hasBegun, leaseMs };
  }

  /** Call this after the process was stalled or suspended. Returns the new lease duration if it has become longer. */
  stoodStill(ms: number): number | undefined {
    // A single replica keeps the usual lease, because the next start waits for its end.
    if (!this.isShared) return undefined;
    const { steady } = this.validity.now();
    const before = this.#lease.at(steady);
    this.#lease.stoodStill(ms, steady);
    const after = this.#lease.at(steady);
    return after > before ? after : undefined;
  }

  #askForLease(): number {
    const leaseMs = this.#lease.at(this.validity.now().steady);
    this.validity.asks(leaseMs);
    return leaseMs;
  }

  /** Returns a fence with the current epochs of the claimed partitions, and the set of unclaimed partitions. */
  fenceOf(partitions: ReadonlySet<number>): {
    readonly fence: Fence | undefined;
    readonly missing: ReadonlySet<number>;
  } {
    const epochs = new Map<number, number>();
    const missing = new Set<number>();
    for (const partition of [...partitions].toSorted((a, b) => a - b)) {
      const epoch = this.held.epochOf(partition);
      if (epoch === undefined) missing.add(partition);
      else epochs.set(partition, epoch);
    }
    const registration = this.#registration;
    return { fence: registration && { registration, epochs }, missing };
  }

  /** Marks the partitions as lost, except those claimed again after the fence was made. */
  loseFenced({ epochs }: Fence, partitions: ReadonlySet<number>): void {
    this.held.lose(
      [...partitions].filter((partition) => this.held.epochOf(partition) === epochs.get(partition)),
    );
  }

  /**
   * Call this when an only replica has lost its claim. It cannot drop its data from memory, so the loss is final.
   *
   * @throws StoreLostError, which names the new owner
   */
  async lose(session: Session): Promise<never> {
    const { rows } = await session.ask({
      text: `SELECT replica FROM owner WHERE replica <> $1
        UNION ALL SELECT id FROM replica WHERE id <> $1 LIMIT 1`,
      values: [this.who.id],
    });
    const [holder] = rows[0] ?? [];
    const who = holder === undefined ? "another process" : `another process (${String(holder)})`;
    throw this.refuse(`${who} ${TAKEN}`);
  }

  /** Returns the error that all calls get from now on. */
  refuse(message: string): StoreLostError {
    if (this.#lost === undefined) {
      this.#lost = new StoreLostError(message);
      this.#onLost(this.#lost);
    }
    return this.#lost;
  }
}

/**
 * Waits at the start for the lease of a process that was killed.
 *
 * @param attempt returns the reason for a refusal, or undefined after success
 * @throws StoreInUseError when a replica is in the way for longer than `leaseMs`
 */
export async function waitForClaim(
  attempt: () => Promise<string | undefined>,
  clock: Clock,
  leaseMs: number,
): Promise<void> {
  const never = new AbortController().signal;
  const until = clock.now() + leaseMs + LOOK_EVERY_MS;
  for (;;) {
    const refusal = await attempt();
    if (refusal === undefined) return;
    if (clock.now() >= until) throw new StoreInUseError(refusal);
    await pause(clock, Math.min(LOOK_EVERY_MS, leaseMs), never);
  }
}
