/** Sessions over gRPC; the package has it, with all it needs, in one file. */
import { isIP } from "node:net";
import { createSecureContext, type PeerCertificate } from "node:tls";
import { credentials } from "@grpc/grpc-js";
import { authorityOf, type ServicePlace } from "../protocol/environment/service-address.ts";
import { proxyOf } from "../proxies/proxy-choice.ts";
import { fingerprintIn } from "../protocol/environment/worker-token.ts";
import { checkService, type TrustedService, UntrustedServiceError } from "./check-service.ts";
import { type GrpcPlace, overGrpc } from "./grpc-wire.ts";
import type { OpenSession, SessionEnd } from "./session.ts";
import { type Opener, WireSession } from "./wire-session.ts";

/** Resolves with how to open a session there, or with why none can be opened: the service is not the one of the worker's token. */
export async function findService(
  place: ServicePlace,
  opener: Opener,
): Promise<OpenSession | SessionEnd> {
  const sessionAt =
    (found: GrpcPlace): OpenSession =>
    (events) =>
      new WireSession(overGrpc(found, opener), events);
  if (place.kind === "plain")
    return sessionAt({ target: place.target, tls: credentials.createInsecure() });
  try {
    const trusted = await checkService(place, fingerprintIn(opener.token));
    const proxy = proxyOf(place.host);
    return sessionAt({ target: authorityOf(place), proxy, ...trustIn(trusted, place.host) });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { refused: error instanceof UntrustedServiceError, reason };
  }
}

/** Name in the TLS handshake with a service that is known by its address: an address is no name. */
const ANY_NAME = "worker.sv-runtime";

function trustIn(
  { roots, checkName }: TrustedService,
  host: string,
): Pick<GrpcPlace, "tls" | "name"> {
  const context = createSecureContext({ ca: [...roots], minVersion: "TLSv1.2" });
  const checkServerIdentity = (_: string, certificate: PeerCertificate) => checkName(certificate);
  return {
    tls: credentials.createFromSecureContext(context, { checkServerIdentity }),
    name: isIP(host) === 0 ? host : ANY_NAME,
  };
}
