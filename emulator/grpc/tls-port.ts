/** The port for workers from elsewhere: takes TLS, and passes on what is inside. */
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
  /** Called with each connection whose other side has agreed on TLS. */
  readonly take: (socket: TLSSocket, guard: ListenerGuard) => void;
}

export interface TlsPort {
  readonly port: number;
  /** From now on new connections get this one. */
  useCertificate(certificate: Shown): void;
  /** Who has that address has said something. */
  heard(peer: string): void;
  /** Takes no connections any more; resolves when all are closed, cut after `graceMs`. Idempotent. */
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
    // It may be cut at any time, also before anybody else listens.
    socket.on("error", () => undefined);
    silent.connected(socket.remoteAddress);
    take(socket, guard);
  });
  server.on("tlsClientError", ({ message }, socket) => {
    const { remoteAddress: peer } = socket;
    refusals.say("tls", { peer, reason: message }, "no TLS was agreed on at the worker port");
    // Node leaves it open, after its timeout too.
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
