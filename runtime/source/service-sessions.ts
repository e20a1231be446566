/** Opens each session of a worker with its service: at the given addresses in turn, or where it was redirected. */
import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { createSecureContext, type PeerCertificate } from "node:tls";
import { credentials } from "@grpc/grpc-js";
import {
  authorityOf,
  type ServicePlace,
  placeText,
  servicePlaces,
} from "../protocol/service-address.ts";
import { fingerprintIn } from "../protocol/worker-token.ts";
import { checkService, type TrustedService, UntrustedServiceError } from "./check-service.ts";
import { type Door, GrpcSession } from "./grpc-session.ts";
import { LaterSession } from "./later-session.ts";
import type { OpenSession, Session, SessionEnd, SessionEvents } from "./session.ts";

/** Size of an instance id in bytes: 144 bits cannot be guessed. */
const INSTANCE_BYTES = 18;

export class ServiceSessions {
  readonly #places: readonly ServicePlace[];
  readonly #token: string;
  /** The instance id of this worker, by which the service recognises it in all sessions. */
  readonly #instance = randomBytes(INSTANCE_BYTES).toString("base64url");
  #at = 0;
  /** The address of the last redirect, for one session. */
  #redirect: ServicePlace | undefined;

  /** @throws RangeError for an address that breaks `SERVICE_ADDRESS_RULE` */
  constructor(address: string, token: string) {
    const places = servicePlaces(address);
    if (places === undefined) throw new RangeError(`${JSON.stringify(address)} is no address`);
    this.#places = places;
    this.#token = token;
  }

  readonly open: OpenSession = (events) => {
    const place = this.#redirect ?? this.#places[this.#at % this.#places.length];
    if (place === undefined) throw new Error("there is no address");
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
        // A redirected worker comes back to this address. A worker with an answered session tries the same address first.
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
    const who = { token: this.#token, instance: this.#instance };
    if (place.kind === "plain")
      return new GrpcSession(
        { target: place.target, tls: credentials.createInsecure() },
        who,
        events,
      );
    const { host } = place;
    const target = authorityOf(place);
    const opening = checkService(place, fingerprintIn(this.#token)).then(
      (trusted): OpenSession =>
        (inner) =>
          new GrpcSession({ target, ...trustIn(trusted, host) }, who, inner),
      endOf,
    );
    return new LaterSession(opening, events);
  }
}

/** Name in the TLS handshake with a service at an IP address, which cannot be a name. */
const ANY_NAME = "worker.sv-runtime";

function trustIn({ roots, checkName }: TrustedService, host: string): Omit<Door, "target"> {
  const context = createSecureContext({ ca: [...roots], minVersion: "TLSv1.2" });
  const checkServerIdentity = (_: string, certificate: PeerCertificate) => checkName(certificate);
  return {
    tls: credentials.createFromSecureContext(context, { checkServerIdentity }),
    name: isIP(host) === 0 ? host : ANY_NAME,
  };
}

function endOf(error: unknown): SessionEnd {
  const reason = error instanceof Error ? error.message : String(error);
  return { refused: error instanceof UntrustedServiceError, reason };
}
