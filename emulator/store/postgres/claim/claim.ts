/**
 * The claim of one process to partitions of the database. The transaction of every batch locks the row of its replica and the
 * owners of its partitions, which do not change meanwhile; a replica that has lost a partition stores nothing about it.
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
  "another emulator that is being started has locked the database and does not go on; end it, or try again";
const TAKEN = "has taken the database over; nothing more is stored here";

/** Interval of attempts to claim at the start. */
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
  /** Undefined if the row is gone and a new one is to be made. */
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

  /** Set when nothing is stored or answered any more. */
  get lost(): StoreLostError | undefined {
    return this.#lost;
  }

  get registration(): Registration | undefined {
    return this.#registration;
  }

  /** The registration of the start. */
  get atStart(): Registration {
    if (this.#atStart === undefined) throw new Error("nothing was claimed");
    return this.#atStart;
  }

  /** Registers at the start, and learns the service time. Answers, too, if another start has locked the database. */
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

  /** Makes the row. Answers a sentence that names the replica in the way, if there is one. Throws what `pg` throws. */
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

  /** To be called when the row is gone: all partitions are lost, and a new row is to be made. */
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

  /** To be called when the process stood still. Answers the next lease if that gets longer. */
  stoodStill(ms: number): number | undefined {
    // The next start waits for the only replica, and knows the usual lease.
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

  /** The fence of a batch about these partitions, as they are claimed now, and the partitions that are not claimed. */
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

  /** Loses the partitions, unless they were claimed again after the batch was fenced. */
  loseFenced({ epochs }: Fence, partitions: ReadonlySet<number>): void {
    this.held.lose(
      [...partitions].filter((partition) => this.held.epochOf(partition) === epochs.get(partition)),
    );
  }

  /** The only replica has lost its claim, and cannot forget its memory. @throws StoreLostError, which names the new owner */
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

  /** Answers the error for all calls from now on. */
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
 * @param attempt answers a sentence that names the replica in the way, if there is one
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
