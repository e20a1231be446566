/** Looks for the replica that has something, within a limited time. */
import type { ServerResponse } from "node:http";
import type { Owned } from "../../engine/steps/state/endpoint-moved.ts";
import type { Ownership, Replica } from "../../store/ownership.ts";
import type { HttpService } from "../operation/service.ts";
import { isOwned, ownerOf } from "./owner-of.ts";

/** How long a replica is looked for that has what is asked for, ms. */
const PATIENCE_MS = 2_000;

/** One that is not it is asked again after that, ms: it may be about to get what is asked for, and no one is told when it has it. */
const AGAIN_MS = 100;

export class Search {
  readonly #service: HttpService;
  readonly #ownership: Ownership;
  readonly #owned: Owned;
  readonly #waitsUntil: number;
  #until: number | undefined;
  #waitedMs = 0;
  /** Said that it is not it, or could not be asked. */
  #not: string | undefined;

  /** @param waitsUntil moment until which the client waits anyway, real time; default: it does not wait */
  constructor(service: HttpService, ownership: Ownership, owned: Owned, waitsUntil = 0) {
    this.#service = service;
    this.#ownership = ownership;
    this.#owned = owned;
    this.#waitsUntil = waitsUntil;
  }

  /** For how long nobody was found so far. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  wasNot({ id }: Replica): void {
    this.#not = id;
  }

  /** Undefined if nobody is found in time, or the client has gone. */
  async find(response: ServerResponse): Promise<Replica | undefined> {
    const { realClock } = this.#service.engine;
    for (;;) {
      const owner = this.#owner();
      if (owner !== undefined) return owner;
      this.#until ??= Math.max(realClock.now() + PATIENCE_MS, this.#waitsUntil);
      const isOver = realClock.now() >= this.#until || this.#service.stopping;
      if (isOver || response.destroyed) return undefined;
      await this.#change(response, this.#until);
    }
  }

  /** The one that said it is not it is asked again when anything has moved, and after a while. */
  #owner(): Replica | undefined {
    const isHere = isOwned(this.#ownership, this.#owned);
    const owner = isHere ? this.#ownership.self : ownerOf(this.#ownership, this.#owned);
    return owner?.id === this.#not ? undefined : owner;
  }

  async #change(response: ServerResponse, until: number): Promise<void> {
    const { realClock } = this.#service.engine;
    const since = realClock.now();
    const over = new AbortController();
    const abort = () => over.abort();
    const disarm = realClock.wakeAt(Math.min(until, since + AGAIN_MS), abort);
    const forget = this.#service.wakeAtStop(over);
    response.once("close", abort);
    await this.#ownership.moved(over.signal);
    this.#not = undefined;
    disarm();
    forget();
    response.off("close", abort);
    this.#waitedMs += realClock.now() - since;
  }
}
