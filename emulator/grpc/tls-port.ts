/** The port for workers from elsewhere: takes TLS, and passes on what is inside. */
import type { Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { Certificate } from "../net/certificate.ts";
import { listen, type ListenAddress } from "../net/listen.ts";
import { SilentCallers } from "./silent-callers.ts";

type Shown = Pick<Certificate, "cert" | "key">;

export interface TlsPortOptions {
  readonly listen: ListenAddress;
  readonly certificate: Shown;
  readonly log: EngineLog;
  /** Called with each connection whose other side has agreed on TLS. */
  readonly take: (socket: TLSSocket) => void;
}

export interface TlsPort {
  readonly port: number;
  /** From now on new connections get this one. */
  useCertificate(certificate: Shown): void;
  /** Who has that address has said something. */
  heard(peer: string): void;
  /** Cuts all connections. Idempotent. */
  close(): void;
}

/** How long who connects may take to agree on TLS. */
const HANDSHAKE_MS = 10_000;

/** @throws ListenError */
export async function openTlsPort(options: TlsPortOptions): Promise<TlsPort> {
  const { certificate, log, take } = options;
  const sockets = new Set<Socket>();
  const silent = new SilentCallers(log);
  const server = createServer({
    ...contextOf(certificate),
    ALPNProtocols: ["h2"],
    handshakeTimeout: HANDSHAKE_MS,
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("secureConnection", (socket) => {
    // It may be cut at any time, also before anybody else listens.
    socket.on("error", () => undefined);
    silent.connected(socket.remoteAddress);
    take(socket);
  });
  server.on("tlsClientError", ({ message }, { remoteAddress: peer }) =>
    log.info({ peer, reason: message }, "no TLS was agreed on at the worker port"),
  );
  const port = await listen(server, options.listen);
  return {
    port,
    useCertificate: (next) => server.setSecureContext(contextOf(next)),
    heard: (peer) => silent.heard(peer),
    close() {
      server.close();
      silent.stop();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function contextOf({ cert, key }: Shown) {
  return { cert, key, minVersion: "TLSv1.2" as const };
}
