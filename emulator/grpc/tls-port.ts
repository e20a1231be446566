/** The port for workers from elsewhere. It accepts TLS, and passes on the connection inside. */
import { createServer, type TLSSocket } from "node:tls";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { Certificate } from "../net/certificate.ts";
import { listen, type ListenAddress } from "../net/listen.ts";
import { ListenerGuard } from "../net/listener-guard.ts";
import { LISTENERS } from "../net/listener-limits.ts";
import { RefusalLog } from "../net/refusal-log.ts";
import { SilentCallers } from "./silent-callers.ts";

type Shown = Pick<Certificate, "cert" | "key">;

export interface TlsPortOptions {
  readonly listen: ListenAddress;
  readonly certificate: Shown;
  readonly log: EngineLog;
  /** Called with each connection after its TLS handshake. */
  readonly take: (socket: TLSSocket, guard: ListenerGuard) => void;
}

export interface TlsPort {
  readonly port: number;
  /** New connections get this certificate from now on. */
  useCertificate(certificate: Shown): void;
  /** Notes that the peer of that address has spoken. */
  heard(peer: string): void;
  /** Accepts no more connections. Resolves when all are closed; they are cut after `graceMs`. Idempotent. */
  close(graceMs: number): Promise<void>;
}

/** @throws ListenError */
export async function openTlsPort(options: TlsPortOptions): Promise<TlsPort> {
  const { certificate, log, take } = options;
  const limits = LISTENERS.workers;
  const refusals = new RefusalLog((fields, sentence) => log.warn(fields, sentence));
  const silent = new SilentCallers(refusals);
  const server = createServer({
    ...contextOf(certificate),
    ALPNProtocols: ["h2"],
    handshakeTimeout: limits.handshakeMs,
  });
  const guard = new ListenerGuard(server, { limits, refusals, closesWaiting: true });
  server.on("secureConnection", (socket) => {
    // The connection may be cut before others listen for errors.
    socket.on("error", () => undefined);
    silent.connected(socket.remoteAddress);
    take(socket, guard);
  });
  server.on("tlsClientError", ({ message }, socket) => {
    const { remoteAddress: peer } = socket;
    refusals.say("tls", { peer, reason: message }, "the TLS handshake at the worker port failed");
    // Node leaves the socket open, even after its timeout.
    socket.destroy();
  });
  const port = await listen(server, options.listen);
  return {
    port,
    useCertificate: (next) => server.setSecureContext(contextOf(next)),
    heard: (peer) => silent.heard(peer),
    async close(graceMs) {
      server.close();
      silent.stop();
      await guard.close(graceMs);
      refusals.stop();
    },
  };
}

function contextOf({ cert, key }: Shown) {
  return { cert, key, minVersion: "TLSv1.2" as const };
}
