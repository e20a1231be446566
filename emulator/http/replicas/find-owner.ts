/** Finds the replica that owns the subject of a request. */
import type { ServerResponse } from "node:http";
import type { Owned } from "../../engine/steps/state/endpoint-moved.ts";
import type { Ownership, Replica } from "../../store/ownership.ts";
import { type Call, endpointIdIn, type Operation } from "../operation/operation.ts";
import type { HttpService } from "../operation/service.ts";

/** Timeout of the search, ms. */
const PATIENCE_MS = 2_000;

/** Interval until a replica that refused is asked again, ms: it may become the owner without notice. */
const AGAIN_MS = 100;

/** Searches for the owner within a limited time. */
export class OwnerSearch {
  readonly #service: HttpService;
  readonly #ownership: Ownership;
  readonly #owned: Owned;
  readonly #waitsUntil: number;
  #until: number | undefined;
  #waitedMs = 0;
  /** Id of the last replica that was not the owner, or could not be reached. */
  #not: string | undefined;

  /** @param waitsUntil moment until which the client waits anyway, real time; default: it does not wait */
  constructor(service: HttpService, ownership: Ownership, owned: Owned, waitsUntil = 0) {
    this.#service = service;
    this.#ownership = ownership;
    this.#owned = owned;
    this.#waitsUntil = waitsUntil;
  }

  /** Time without a known owner, ms. */
  get waitedMs(): number {
    return this.#waitedMs;
  }

  wasNot({ id }: Replica): void {
    this.#not = id;
  }

  /** Undefined if there is no owner in time, or the client has gone. */
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

  /** The owner, unless it has just refused. It is asked again after the next move, or after a while. */
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

/** The subject of the request; undefined: any replica can answer it. */
export async function ownedBy<Path>(
  { owner }: Operation<Path>,
  call: Call<Path>,
): Promise<Owned | undefined> {
  if (owner === "any") return undefined;
  if (owner === "service") return owner;
  if (owner !== undefined && "findOwned" in owner) return owner.findOwned(call);
  const endpointId = owner === undefined ? endpointIdIn(call.path) : await owner.find(call);
  return endpointId === undefined ? undefined : { endpointId };
}

export function isOwned(ownership: Ownership, owned: Owned): boolean {
  return owned === "service" ? ownership.ownsService() : ownership.owns(owned.endpointId);
}

function ownerOf(ownership: Ownership, owned: Owned): Replica | undefined {
  return owned === "service" ? ownership.serviceOwner() : ownership.ownerOf(owned.endpointId);
}
