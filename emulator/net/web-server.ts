/** Makes an HTTP server, or one of HTTPS. */
import { createServer, type Server, type ServerOptions } from "node:http";
import type { Certificate } from "./certificate.ts";

/** How long a client may take to agree on TLS; a server that closes waits for those who do. */
const HANDSHAKE_MS = 10_000;

export interface WebServer {
  readonly server: Server;
  /** From now on new connections get this one. Does nothing to a server of HTTP. */
  readonly useCertificate: (certificate: Certificate) => void;
}

/** @param certificate undefined for HTTP */
export function createWebServer(options: ServerOptions, certificate?: Certificate): WebServer {
  if (certificate === undefined)
    return { server: createServer(options), useCertificate: () => undefined };
  // Loaded only where it is needed: it takes as long as all the rest of a server.
  const server = process.getBuiltinModule("node:https").createServer({
    ...options,
    ...contextOf(certificate),
    ALPNProtocols: ["http/1.1"],
    handshakeTimeout: HANDSHAKE_MS,
  });
  // As by HTTP; only from now on, or those who give up before would be waited for.
  server.on("secureConnection", (socket) => (socket.allowHalfOpen = true));
  return { server, useCertificate: (next) => server.setSecureContext(contextOf(next)) };
}

function contextOf({ cert, key }: Certificate) {
  return { cert, key, minVersion: "TLSv1.2" as const };
}
