/** The job source that speaks to the service: in frames on this machine, over gRPC elsewhere. */
import { randomBytes } from "node:crypto";
import {
  type ServicePlace,
  placeText,
  servicePlaces,
} from "../protocol/environment/service-address.ts";
import { unixSocketOf } from "../protocol/environment/socket-path.ts";
import { overFrames } from "./frame-wire.ts";
import { LaterSession } from "./later-session.ts";
import type { OpenSession, Session, SessionEvents } from "./session.ts";
import { SessionSource, type SessionSourceOptions } from "./session-source.ts";
import { type Opener, WireSession } from "./wire-session.ts";

export interface ServiceJobSourceOptions extends Omit<SessionSourceOptions, "openSession"> {
  /** As `SV_SERVICE_ADDRESS` has it. */
  readonly address: string;
  /** The worker's token; it names its endpoint, and the worker if the service has started it. */
  readonly token: string;
}

export class ServiceJobSource extends SessionSource {
  /** @throws RangeError for an address that breaks `SERVICE_ADDRESS_RULE` */
  constructor({ address, token, ...options }: ServiceJobSourceOptions) {
    super({ ...options, openSession: new ServiceSessions(address, token).open });
  }
}

/** Bytes of an instance id: 144 bits cannot be guessed. */
const INSTANCE_BYTES = 18;

/** Opens each session of a worker: at the given addresses in turn, or where it was redirected. */
class ServiceSessions {
  readonly #places: readonly ServicePlace[];
  readonly #opener: Opener;
  #at = 0;
  /** The address of the last redirect; good for one session. */
  #redirect: ServicePlace | undefined;

  constructor(address: string, token: string) {
    const places = servicePlaces(address);
    if (places === undefined) throw new RangeError(`${JSON.stringify(address)} is no address`);
    this.#places = places;
    // The service recognises a worker that it has not started by its instance id, which is the same for all of its life.
    this.#opener = { token, instance: randomBytes(INSTANCE_BYTES).toString("base64url") };
  }

  readonly open: OpenSession = (events) => {
    const place = this.#redirect ?? this.#places[this.#at % this.#places.length];
    if (place === undefined) throw new Error("there is no place");
    const isSent = this.#redirect !== undefined;
    this.#redirect = undefined;
    let wasWelcome = false;
    const session = this.#openAt(place, {
      ...events,
      orders: (orders) => {
        if (orders.welcome) wasWelcome = true;
        if (orders.redirect === undefined) return events.orders(orders);
        [this.#redirect] = servicePlaces(orders.redirect) ?? [];
        void session.close();
      },
      ended: ({ refused, reason }) => {
        // A worker that was sent on comes back here; one that was heard tries the same address first.
        if (!isSent && !wasWelcome && this.#redirect === undefined) this.#at += 1;
        const where = place.kind === "tls" ? `${placeText(place)}: ` : "";
        const isRedirected = this.#redirect !== undefined;
        events.ended({
          refused,
          reason: `${where}${reason}`,
          ...(isRedirected && { isRedirected }),
        });
      },
    });
    return session;
  };

  #openAt(place: ServicePlace, events: SessionEvents): Session {
    const socket = place.kind === "plain" ? unixSocketOf(place.target) : undefined;
    if (socket !== undefined) return new WireSession(overFrames(socket, this.#opener), events);
    // A worker of this machine never loads it.
    const opening = import("./grpc.ts").then(
      ({ findService }) => findService(place, this.#opener),
      (error: unknown) => ({ refused: false, reason: `gRPC cannot be loaded: ${String(error)}` }),
    );
    return new LaterSession(opening, events);
  }
}
