/** Follows a stream of all replicas, including ones that join later. A replica that does not answer delays no other. */
import type { Clock } from "../../core/time/clock.ts";
import type { Ownership, Replica } from "../../store/ownership.ts";
import {
  type StreamRequest,
  type AskReplica,
  FollowedReplica,
  type Told,
} from "./followed-replica.ts";

/** Maximum time until `next` returns, even without events (real time). */
const QUIET_MS = 15_000;

export interface FollowedReplicasOptions {
  readonly ownership: Ownership;
  readonly realClock: Clock;
  readonly ask: AskReplica;
  /** The request for a replica's stream: at the beginning, when the replica joins later, or for a reconnect. */
  readonly requestFor: (
    lastEventId: string | undefined,
    when: "first" | "came" | "again",
  ) => StreamRequest;
  /** Last event ids to go on after, by replica. */
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

  /** @param replicas the replicas at the beginning */
  constructor(replicas: readonly Replica[], options: FollowedReplicasOptions) {
    this.#options = options;
    for (const replica of replicas) this.#follow(replica, "first");
    void this.#watch();
  }

  /** Aborts when events are lost because they are not read fast enough. */
  get behind(): AbortSignal {
    return this.#behind.signal;
  }

  /** The events since the last call, in the order of each replica; empty after 15 s of silence, or when `signal` aborts. */
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
    const { ask, requestFor, realClock, lastEventIds } = this.#options;
    const followed = new FollowedReplica(replica, {
      ...{ ask, realClock },
      requestFor: (lastEventId, isFirst) => requestFor(lastEventId, isFirst ? when : "again"),
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

  /** Events from before the replica left are still passed on. */
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
