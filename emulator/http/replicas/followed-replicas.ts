/** Follows a stream of all replicas at once, those that come later among them. One that does not answer holds up nobody. */
import type { Clock } from "../../core/time/clock.ts";
import type { Ownership, Replica } from "../../store/ownership.ts";
import { type Asked, type AskReplica, FollowedReplica, type Told } from "./followed-replica.ts";

/** `next` returns at least this often, also without anything told (real time). */
const QUIET_MS = 15_000;

export interface FollowedReplicasOptions {
  readonly ownership: Ownership;
  readonly realClock: Clock;
  readonly ask: AskReplica;
  /** What is asked of a replica: of those that are there for the first time, of one that came later, or again. */
  readonly asked: (lastEventId: string | undefined, when: "first" | "came" | "again") => Asked;
  /** The event behind which a replica goes on, by its id. */
  readonly lastEventIds?: ReadonlyMap<string, string> | undefined;
}

export class FollowedReplicas implements Disposable {
  readonly #options: FollowedReplicasOptions;
  readonly #followed = new Map<string, FollowedReplica>();
  readonly #over = new AbortController();
  readonly #behind = new AbortController();
  #gone: Told[] = [];
  #hasNews = false;
  #wake: (() => void) | undefined;

  /** @param replicas those that are there */
  constructor(replicas: readonly Replica[], options: FollowedReplicasOptions) {
    this.#options = options;
    for (const replica of replicas) this.#follow(replica, "first");
    void this.#watch();
  }

  /** Aborts when what was told is not taken as fast as it came, and some of it is lost. */
  get behind(): AbortSignal {
    return this.#behind.signal;
  }

  /** What was told since the last call, in the order of each replica; nothing after 15 s of silence, or when `signal` aborts. */
  async next(signal: AbortSignal): Promise<readonly Told[]> {
    if (!this.#hasNews && !signal.aborted) await this.#wait(signal);
    this.#hasNews = false;
    const gone = this.#gone;
    this.#gone = [];
    return [...gone, ...[...this.#followed.values()].flatMap((replica) => replica.take())];
  }

  [Symbol.dispose](): void {
    this.#over.abort();
    for (const replica of this.#followed.values()) replica.stop();
  }

  #follow(replica: Replica, when: "first" | "came"): void {
    const { ask, asked, realClock, lastEventIds } = this.#options;
    const followed = new FollowedReplica(replica, {
      ...{ ask, realClock },
      asked: (lastEventId, isFirst) => asked(lastEventId, isFirst ? when : "again"),
      lastEventId: lastEventIds?.get(replica.id),
      wake: () => this.#news(),
      fellBehind: () => {
        this.#behind.abort();
        this.#wake?.();
      },
    });
    this.#followed.set(replica.id, followed);
    if (when === "came") followed.note("came");
    void followed.follow();
  }

  /** Until the end. */
  async #watch(): Promise<void> {
    const { ownership } = this.#options;
    const { signal } = this.#over;
    while (!signal.aborted) {
      const there = new Map(ownership.replicas().map((replica) => [replica.id, replica]));
      for (const [id, replica] of there) if (!this.#followed.has(id)) this.#follow(replica, "came");
      for (const [id, followed] of this.#followed) if (!there.has(id)) this.#leave(id, followed);
      await ownership.moved(signal);
    }
  }

  /** What it told before it went is told. */
  #leave(id: string, followed: FollowedReplica): void {
    followed.stop();
    followed.note("gone");
    this.#gone.push(...followed.take());
    this.#followed.delete(id);
  }

  #news(): void {
    this.#hasNews = true;
    this.#wake?.();
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { realClock } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    signal.addEventListener("abort", this.#wake, { once: true });
    const disarm = realClock.wakeAt(realClock.now() + QUIET_MS, resolve);
    await promise;
    disarm();
    signal.removeEventListener("abort", this.#wake);
    this.#wake = undefined;
  }
}
