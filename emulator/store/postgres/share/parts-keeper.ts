/**
 * Spreads the parts over the replicas that share the database. At each renewal of its claim a replica looks at who there is and
 * who has what, removes who is gone, takes what is its own to take, and gives away what is another's by now.
 */
import type { LeaveWhen, Owner } from "../../ownership.ts";
import type { Boot } from "../../store.ts";
import type { Claim } from "../claim/claim.ts";
import type { Registration } from "../claim/registration.ts";
import { claimable, misplaced } from "../claim/spread.ts";
import type { Session, Statement } from "../connect/session.ts";
import type { Times } from "../options.ts";
import type { Queues } from "../writes/queues.ts";
import type { KnownOwners } from "./known-owners.ts";
import { buryOver, claimParts, giveParts } from "./move-parts.ts";
import { renewAndLook, type View } from "./view.ts";

/** So many parts are moved at a time. */
const LEFT_AT_ONCE = 8;

export interface PartsKeeperParts {
  readonly claim: Claim;
  readonly times: Times;
  readonly queues: Queues;
  readonly owners: KnownOwners;
  /** Tells the other replicas that parts have changed hands. */
  readonly tell: Statement;
  /** What there is of parts that this process has from now on. */
  readonly readGain: (
    session: Session,
    parts: readonly number[],
  ) => Promise<Pick<Boot, "counts" | "running" | "lastSeq">>;
  /** Has the next renewal come at once. */
  readonly hurry: () => void;
}

export class PartsKeeper {
  readonly #parts: PartsKeeperParts;
  #owner: Owner | undefined;
  #isEnding = false;
  /** Left by the owner, and to be given away: each with its epoch. */
  readonly #given = new Map<number, number>();
  /** Since when nobody has a part, by the clock that is never set. */
  readonly #freeSince = new Map<number, number>();
  /** The same, and before that since when its owner is over whose row is still there. */
  readonly #unownedSince = new Map<number, number>();
  #slot = 0;
  #highestSeq = 0;

  constructor(parts: PartsKeeperParts) {
    this.#parts = parts;
    const { registration, held } = parts.claim;
    held.onLost = (lost) => this.#lose(lost);
    if (registration !== undefined) this.#note(registration);
  }

  get slot(): number {
    return this.#slot;
  }

  /** Of all lines, as far as it knows. */
  get highestSeq(): number {
    return this.#highestSeq;
  }

  /** Takes parts for `owner` from the next renewal on. */
  begin(owner: Owner): void {
    this.#owner = owner;
  }

  /** Resolves when the owner has left all. Each part is given away by the next renewal after it was left. */
  async end(when: "stop" | "now"): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#parts.claim.held.all.map((part) => this.#leave([part], when)));
  }

  /** @throws StoreLostError; what `pg` throws. Answers the version of the records. */
  async renew(session: Session): Promise<number | undefined> {
    const { claim, owners, hurry, tell } = this.#parts;
    const registration = claim.registration ?? (await this.#register(session));
    if (!(await this.#look(session, registration))) {
      claim.unregister(registration);
      hurry();
      return undefined;
    }
    const hasGiven = await this.#give(session);
    const isAnyOver = owners.view.peers.some(({ leftMs }) => leftMs < 0);
    const hasBuried = isAnyOver && (await buryOver(session, claim.seen, tell)) > 0;
    if (hasGiven || hasBuried) await this.#look(session, registration);
    await this.#claim(session, registration);
    this.#leaveMisplaced();
    return owners.view.recordsVersion;
  }

  get #takesParts(): boolean {
    return this.#owner !== undefined && !this.#isEnding;
  }

  async #register(session: Session): Promise<Registration> {
    const { claim } = this.#parts;
    const refusal = await claim.register(session);
    const { registration } = claim;
    if (registration === undefined) throw claim.refuse(refusal ?? "nothing was claimed");
    this.#note(registration);
    return registration;
  }

  #note({ slot, highest }: Registration): void {
    this.#slot = slot;
    this.#highestSeq = Math.max(this.#highestSeq, highest);
    this.#given.clear();
  }

  /** Renews the claim; answers whether it is there. What is held that is another's by now is lost. */
  async #look(session: Session, registration: Registration): Promise<boolean> {
    const { claim, times, owners, hurry } = this.#parts;
    const startedAt = claim.trust.now();
    const terms = { registration, settleMs: times.settle, hasBegun: this.#takesParts };
    const view = await renewAndLook(session, claim, terms);
    if (view === undefined) return false;
    claim.trust.renew(startedAt);
    if (view.hasLeapt) hurry();
    this.#highestSeq = Math.max(this.#highestSeq, view.lastSeq);
    this.#noteFree(view, startedAt.steady);
    const lost = claim.held.all.filter((part) => {
      const row = view.owners[part];
      return row?.replica !== owners.self.id || row.epoch !== claim.held.epochOf(part);
    });
    claim.held.lose(lost);
    owners.see(view);
    return true;
  }

  #noteFree({ owners, peers }: View, now: number): void {
    const over = new Map(
      peers.map(({ id, leftMs }) => [id, leftMs < 0 ? now + leftMs : undefined]),
    );
    for (const { part, replica } of owners) {
      const isFree = replica === undefined;
      noteSince(this.#freeSince, part, isFree ? now : undefined);
      noteSince(this.#unownedSince, part, isFree ? now : over.get(replica));
    }
  }

  /** Gives away the parts that were left; at the end all that the database has in its name. Answers whether there were any. */
  async #give(session: Session): Promise<boolean> {
    const { claim, owners, tell } = this.#parts;
    if (this.#isEnding)
      for (const { part, replica, epoch } of owners.view.owners)
        if (replica === owners.self.id && !claim.held.has(part)) this.#given.set(part, epoch);
    if (this.#given.size === 0) return false;
    const targets = owners.targets();
    const given = [...this.#given].map(
      ([part, epoch]) => [part, epoch, targets.get(part)] as const,
    );
    await giveParts(session, claim.who, given, tell);
    for (const [part] of given) this.#given.delete(part);
    return true;
  }

  async #claim(session: Session, registration: Registration): Promise<void> {
    const { claim, owners, times, readGain, tell } = this.#parts;
    const owner = this.#owner;
    if (owner === undefined || !this.#takesParts) return;
    const now = claim.trust.now().steady;
    const seen = claimable({
      self: owners.self.id,
      owners: owners.view.owners,
      targets: owners.targets(),
      isLeftOver: (part) => now - (this.#freeSince.get(part) ?? now) >= times.leftOver,
      isHeld: (part) => claim.held.has(part) || this.#given.has(part),
    });
    if (seen.length === 0) return;
    const epochs = await claimParts(session, claim.who, registration, seen, tell);
    if (epochs.size === 0) return;
    const gain = await readGain(session, [...epochs.keys()]);
    // It may be ending by now, or have lost its row.
    if (claim.registration !== registration || !this.#takesParts) return;
    this.#highestSeq = Math.max(this.#highestSeq, gain.lastSeq);
    claim.held.hold(epochs);
    owner.gained({
      ...{ ...gain, parts: new Set(epochs.keys()) },
      unownedMs: this.#unownedMs(epochs.keys()),
    });
    owners.take(epochs);
  }

  #unownedMs(parts: Iterable<number>): ReadonlyMap<number, number> {
    const now = this.#parts.claim.trust.now().steady;
    const since = [...parts].map((part) => [part, this.#unownedSince.get(part)] as const);
    return new Map(
      since.flatMap(([part, from]) => (from === undefined ? [] : [[part, now - from]])),
    );
  }

  #leaveMisplaced(): void {
    const { claim, owners } = this.#parts;
    if (!this.#takesParts || claim.held.isLeaving) return;
    const parts = misplaced(owners.self.id, claim.held.kept, owners.targets());
    if (parts.length > 0) void this.#leave(parts.slice(0, LEFT_AT_ONCE), "idle");
  }

  async #leave(parts: readonly number[], when: LeaveWhen): Promise<void> {
    const { claim, owners, queues, hurry } = this.#parts;
    const { held } = claim;
    const epochs = new Map(parts.map((part) => [part, held.epochOf(part)]));
    held.leave(parts);
    owners.changed();
    await this.#owner?.leave(new Set(parts), when);
    // One that was lost meanwhile may have been gained anew.
    const left = held.drop(parts.filter((part) => held.epochOf(part) === epochs.get(part)));
    for (const [part, epoch] of left) this.#given.set(part, epoch);
    queues.forget(new Set(left.keys()));
    hurry();
  }

  #lose(lost: ReadonlySet<number>): void {
    const { owners, queues, hurry } = this.#parts;
    queues.forget(lost);
    this.#owner?.lost(lost);
    owners.changed();
    hurry();
  }
}

/** Keeps the first moment of something that goes on; undefined: it does not. */
function noteSince(since: Map<number, number>, part: number, from: number | undefined): void {
  if (from === undefined) since.delete(part);
  else if (!since.has(part)) since.set(part, from);
}
