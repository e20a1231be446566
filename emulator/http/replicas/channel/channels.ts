/** Channels to other replicas: one to each, opened on demand. */
import { duplexPair } from "node:stream";
import type { Ownership, Replica } from "../../../store/ownership.ts";
import { type Accept, Channel } from "./channel.ts";
import { type Caller, openChannel } from "./reach-replica.ts";

export class Channels {
  readonly #ownership: Ownership;
  readonly #caller: Caller;
  readonly #accept: Accept;
  readonly #stopped = new AbortController();
  readonly #channels = new Map<string, Promise<Channel>>();

  /** @param accept answers requests that this replica passes on to itself */
  constructor(ownership: Ownership, caller: Caller, accept: Accept) {
    this.#ownership = ownership;
    this.#caller = caller;
    this.#accept = accept;
  }

  /** @throws Error with the reason why the replica cannot be reached */
  async to(replica: Replica): Promise<Channel> {
    const known = this.#channels.get(replica.id);
    if (known !== undefined) {
      const channel = await known;
      if (channel.isOpen) return channel;
    }
    const opening = this.#open(replica);
    this.#channels.set(replica.id, opening);
    const forget = () => {
      if (this.#channels.get(replica.id) === opening) this.#channels.delete(replica.id);
    };
    try {
      const channel = await opening;
      void channel.closed.then(forget);
      void this.#watch(replica, channel);
      return channel;
    } catch (error) {
      forget();
      throw error;
    }
  }

  stop(): void {
    this.#stopped.abort();
    for (const opening of this.#channels.values()) {
      opening.then(
        (channel) => channel.destroy(),
        () => undefined,
      );
    }
  }

  #open(replica: Replica): Promise<Channel> {
    if (replica.id !== this.#ownership.self.id) return openChannel(replica, this.#caller);
    // Answers requests for an endpoint that moved to this replica while they were passed on.
    const [here, there] = duplexPair();
    void new Channel(there, this.#accept);
    return Promise.resolve(new Channel(here));
  }

  /** Cuts the connection to a replica that is no longer alive: it may be open, but will not answer. */
  async #watch(replica: Replica, channel: Channel): Promise<void> {
    const over = new AbortController();
    void channel.closed.then(() => over.abort());
    const signal = AbortSignal.any([over.signal, this.#stopped.signal]);
    while (!signal.aborted) {
      if (!this.#ownership.replicas().some(({ id }) => id === replica.id)) channel.destroy();
      await this.#ownership.moved(signal);
    }
    channel.destroy();
  }
}
