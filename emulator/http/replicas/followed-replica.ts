/** Follows a stream of server-sent events of one replica, no faster than they are read; reconnects when it breaks off. */
import type { EventFrame } from "../../core/observe/event-frames.ts";
import type { Clock } from "../../core/time/clock.ts";
import { pause } from "../../core/time/pause.ts";
import type { Replica } from "../../store/ownership.ts";
import type { Channel, Exchange, ExchangeEvents } from "./channel/channel.ts";
import { ReplicaEvents } from "./replica-events.ts";

/** Time without an answer after which a replica is reported as missing, real time, ms. */
const PATIENCE_MS = 2_000;

/** Interval before a reconnect, real time, ms. */
const AGAIN_MS = 1_000;

export interface StreamRequest {
  readonly url: string;
  /** Last event id to go on after; undefined: none. */
  readonly lastEventId: string | undefined;
}

/**
 * Opens a stream.
 * @throws Error with the reason why the replica cannot be reached
 */
export type AskReplica = (
  replica: Replica,
  request: StreamRequest,
  events: ExchangeEvents,
) => Promise<{ readonly channel: Channel; readonly exchange: Exchange }>;

/** An event of a replica, or a note that the replica joined, does not answer, answers again, or has gone. */
export type Told = { readonly replica: string } & (
  | { readonly frame: EventFrame }
  | { readonly note: "came" | "missing" | "back" | "gone" }
);

export interface FollowedReplicaOptions {
  readonly ask: AskReplica;
  /** The request for the first connection, or for a reconnect. */
  readonly requestFor: (lastEventId: string | undefined, isFirst: boolean) => StreamRequest;
  readonly lastEventId: string | undefined;
  readonly realClock: Clock;
  /** Called when events can be read. */
  readonly wake: () => void;
  /** Called when events are lost because they are not read fast enough. */
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

  /** Runs until `stop`. */
  async follow(): Promise<void> {
    for (let isFirst = true; !this.#over.signal.aborted; isFirst = false) {
      await this.#followOnce(isFirst);
      if (this.#over.signal.aborted) return;
      this.#missing();
      // Stops reading until these events are taken.
      await this.#taken.promise;
      await pause(this.#options.realClock, AGAIN_MS, this.#over.signal);
    }
  }

  /** Adds a note to the replica's events. */
  note(note: "came" | "missing" | "back" | "gone"): void {
    this.#add({ replica: this.replica.id, note });
  }

  /** Returns the events since the last call, which makes room for more. */
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
    const { ask, requestFor, realClock, fellBehind } = this.#options;
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
        requestFor(this.#lastEventId, isFirst),
        stream,
      );
      this.#stream = stream;
      stream.read(exchange);
      if (this.#over.signal.aborted) stream.stop();
      const end = await stream.end;
      // The replica dropped events that were not read in time.
      if (end === "broken" && channel.isOpen && this.#told.length > 0) fellBehind();
    } catch {
      // Reconnects.
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
