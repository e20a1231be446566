/** The limits of every listener of the service, as docs/operating.md shows them. */
import { LIMITS } from "../../runtime/protocol/limits.ts";

export interface ListenerLimits {
  /** Name in the log and in the docs. */
  readonly name: string;
  /** Timeout of the TLS handshake, ms; undefined: no TLS. */
  readonly handshakeMs: number | undefined;
  /**
   * Timeout from the connection until its peer is let in, ms. HTTP lets a peer in with the first complete request head, a
   * worker port with a session of a valid token.
   */
  readonly letInMs: number;
  /** Timeout between two requests of a connection, or without a session, ms. */
  readonly idleMs: number;
  /** Maximum connections that are not let in. */
  readonly waitingMax: number;
}

/** Timeout of idle connections. Common clients and proxies have shorter ones, so they close first and no request is lost. */
const KEEP_ALIVE_MS = 72_000;

/** Timeout of a TLS handshake. A server that closes waits for handshakes. */
const HANDSHAKE_MS = 10_000;

/** Timeout of a worker's TLS handshake. Its connection may have seconds of latency. */
const WORKERS_HANDSHAKE_MS = 20_000;

/** Timeout of a worker's connection without a session. */
const SESSION_MS = 30_000;

/** Maximum waiting clients. It exceeds the kernel's queue of a listener, so simultaneous clients are all accepted. */
const WAITING_MAX = 1_024;

/** Maximum waiting workers. It exceeds the number of workers that reconnect at once after a restart. */
const WORKERS_WAITING_MAX = 256;

export const LISTENERS = {
  clients: {
    name: "the service's own port",
    handshakeMs: HANDSHAKE_MS,
    letInMs: LIMITS.requestHeadMs,
    idleMs: KEEP_ALIVE_MS,
    waitingMax: WAITING_MAX,
  },
  objects: {
    name: "the object store's port",
    handshakeMs: undefined,
    letInMs: LIMITS.requestHeadMs,
    idleMs: KEEP_ALIVE_MS,
    waitingMax: WAITING_MAX,
  },
  liveWorkers: {
    name: "the ports for live workers",
    handshakeMs: undefined,
    letInMs: LIMITS.requestHeadMs,
    idleMs: KEEP_ALIVE_MS,
    waitingMax: WAITING_MAX,
  },
  workers: {
    name: "the port for workers from elsewhere",
    handshakeMs: WORKERS_HANDSHAKE_MS,
    letInMs: SESSION_MS,
    idleMs: SESSION_MS,
    waitingMax: WORKERS_WAITING_MAX,
  },
  workerSocket: {
    name: "the socket for workers of this machine",
    handshakeMs: undefined,
    letInMs: SESSION_MS,
    idleMs: SESSION_MS,
    waitingMax: WORKERS_WAITING_MAX,
  },
} as const satisfies Readonly<Record<string, ListenerLimits>>;
