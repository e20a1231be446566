/** Follows a stream of server-sent events of one replica, no faster than what it tells is taken; asks anew where it breaks off. */
import type { EventFrame } from "../../core/observe/event-frames.ts";
import type { Clock } from "../../core/time/clock.ts";
import { pause } from "../../core/time/pause.ts";
import type { Replica } from "../../store/ownership.ts";
import type { Channel, Exchange, ExchangeEvents } from "./channel/channel.ts";
import { ReplicaEvents } from "./replica-events.ts";

/** A replica that has not answered by then is said to be missing, ms of real time. */
const PATIENCE_MS = 2_000;

/** One that broke off is asked again after that, ms of real time. */
const AGAIN_MS = 1_000;

/** What is asked of a replica. */
export interface Asked {
  readonly url: string;
  /** The event behind which it goes on; undefined: none. */
  readonly lastEventId: string | undefined;
}

/** Asks a replica. @throws Error that says why it cannot be reached */
export type AskReplica = (
  replica: Replica,
  asked: Asked,
  events: ExchangeEvents,
) => Promise<{ readonly channel: Channel; readonly exchange: Exchange }>;

/** What one replica told; or that it came after the others, does not answer, answers again, or has gone. */
export type Told = { readonly replica: string } & (
  | { readonly frame: EventFrame }
  | { readonly note: "came" | "missing" | "back" | "gone" }
);

export interface FollowedReplicaOptions {
  readonly ask: AskReplica;
  /** What is asked of it, for the first time or again. */
  readonly asked: (lastEventId: string | undefined, isFirst: boolean) => Asked;
  readonly lastEventId: string | undefined;
  readonly realClock: Clock;
  /** There is something to take. */
  readonly wake: () => void;
  /** What it told is not taken as fast as it comes, and some of it is lost. */
  readonly fellBehind: () => void;
}

export class FollowedReplica {
  readonly replica: Replica;
  readonly #options: FollowedReplicaOptions;
  readonly #over = new AbortController();
  #lastEventId: string | undefined;
  #told: Told[] = [];
  #isMissing = false;
  #stream: ReplicaEvents | undefined;
  #taken = Promise.withResolvers<void>();

  constructor(replica: Replica, options: FollowedReplicaOptions) {
    this.replica = replica;
    this.#options = options;
    this.#lastEventId = options.lastEventId;
  }

  /** Ends with `stop`. */
  async follow(): Promise<void> {
    for (let isFirst = true; !this.#over.signal.aborted; isFirst = false) {
      await this.#followOnce(isFirst);
      if (this.#over.signal.aborted) return;
      this.#missing();
      // Nothing more is held before that is taken.
      await this.#taken.promise;
      await pause(this.#options.realClock, AGAIN_MS, this.#over.signal);
    }
  }

  /** Adds a word about it to what it told. */
  note(note: "came" | "missing" | "back" | "gone"): void {
    this.#add({ replica: this.replica.id, note });
  }

  /** What it told since the last call; it goes on to tell as much. */
  take(): readonly Told[] {
    const told = this.#told;
    this.#told = [];
    this.#stream?.used();
    this.#taken.resolve();
    return told;
  }

  stop(): void {
    this.#over.abort();
    this.#stream?.stop();
    this.#taken.resolve();
  }

  async #followOnce(isFirst: boolean): Promise<void> {
    const { ask, asked, realClock, fellBehind } = this.#options;
    const disarm = realClock.wakeAt(realClock.now() + PATIENCE_MS, () => this.#missing());
    const stream = new ReplicaEvents({
      begun: () => {
        disarm();
        if (this.#isMissing) this.note("back");
        this.#isMissing = false;
      },
      told: (frames) => this.#tell(frames),
    });
    try {
      const { channel, exchange } = await ask(
        this.replica,
        asked(this.#lastEventId, isFirst),
        stream,
      );
      this.#stream = stream;
      stream.read(exchange);
      if (this.#over.signal.aborted) stream.stop();
      const end = await stream.end;
      // It gave up what it could not get rid of.
      if (end === "broken" && channel.isOpen && this.#told.length > 0) fellBehind();
    } catch {
      // It is asked again.
    } finally {
      disarm();
      this.#stream = undefined;
    }
  }

  #tell(frames: readonly EventFrame[]): void {
    for (const frame of frames) {
      this.#lastEventId = frame.id ?? this.#lastEventId;
      this.#add({ replica: this.replica.id, frame });
    }
  }

  #missing(): void {
    if (this.#isMissing) return;
    this.#isMissing = true;
    this.note("missing");
  }

  #add(told: Told): void {
    if (this.#told.length === 0) this.#taken = Promise.withResolvers();
    this.#told.push(told);
    this.#options.wake();
  }
}
