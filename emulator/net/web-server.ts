/** Makes an HTTP or HTTPS server with the limits of its listener. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerOptions,
  ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import type { Certificate } from "./certificate.ts";
import { ListenerGuard } from "./listener-guard.ts";
import type { ListenerLimits } from "./listener-limits.ts";
import { RefusalLog } from "./refusal-log.ts";
import type { ServerLife } from "./server-life.ts";

/** Interval at which connections are checked for the timeout of a request's head. */
const CHECK_INTERVAL_MS = 1_000;

/** Number of waiting requests at which the connection is not read any more. */
const WAITING_MAX = 16;

const waiting = new WeakMap<Socket, number>();

export interface WebServerOptions extends ServerOptions {
  readonly limits: ListenerLimits;
  readonly life?: ServerLife | undefined;
  readonly log: {
    warn(fields: Readonly<Record<string, unknown>>, message: string): void;
    error(fields: Readonly<Record<string, unknown>>, message: string): void;
  };
}

export interface WebServer {
  readonly server: Server;
  /** New connections get this certificate from now on. An HTTP server ignores it. */
  readonly useCertificate: (certificate: Certificate) => void;
  /**
   * Wraps a listener for requests or upgrades. It lets their connection in, and takes requests of one connection one after another. An
   * error that the listener throws is logged and ends the connection, never the process.
   */
  readonly guarded: <Rest extends unknown[]>(take: Take<Rest>) => Take<Rest>;
}

type Take<Rest extends unknown[]> = (request: IncomingMessage, ...rest: Rest) => void;

/** @param certificate undefined for HTTP */
export function createWebServer(
  { limits, log, life, ...options }: WebServerOptions,
  certificate?: Certificate,
): WebServer {
  const serverOptions: ServerOptions = {
    headersTimeout: limits.letInMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: CHECK_INTERVAL_MS,
    ...options,
  };
  const made =
    certificate === undefined ? plain(serverOptions) : secure(serverOptions, certificate, limits);
  const refusals = new RefusalLog((fields, sentence) => log.warn(fields, sentence));
  const { holdsProcess } = life ?? {};
  const guarding = { limits, refusals, closesWaiting: false, holdsProcess };
  const guard = new ListenerGuard(made.server, guarding);
  made.server.once("close", () => refusals.stop());
  const known = new WeakSet<Socket>();
  const guarded: WebServer["guarded"] = (take) => {
    const taken: typeof take = (request, ...rest) => {
      const { socket } = request;
      const [response] = rest;
      if (!known.has(socket)) {
        known.add(socket);
        guard.letIn(socket);
      }
      if (response instanceof ServerResponse && response.socket === null)
        return performInTurn(request, response, () => taken(request, ...rest));
      try {
        return take(request, ...rest);
      } catch (error) {
        log.error({ err: error }, `a request at ${limits.name} was not handled`);
        return void socket.destroy();
      }
    };
    return taken;
  };
  return { ...made, guarded };
}

type Made = Omit<WebServer, "guarded">;

function plain(options: ServerOptions): Made {
  return { server: createServer(options), useCertificate: () => undefined };
}

function secure(options: ServerOptions, certificate: Certificate, limits: ListenerLimits): Made {
  // Loaded here because it takes as long as the rest of a server.
  const server = process.getBuiltinModule("node:https").createServer({
    ...options,
    ...contextOf(certificate),
    ALPNProtocols: ["http/1.1"],
    ...(limits.handshakeMs !== undefined && { handshakeTimeout: limits.handshakeMs }),
  });
  // As for HTTP. The wrapper is set only now: otherwise a stop would wait for peers that gave up earlier.
  server.on("secureConnection", (socket) => (socket.allowHalfOpen = true));
  return { server, useCertificate: (next) => server.setSecureContext(contextOf(next)) };
}

function contextOf({ cert, key }: Certificate) {
  return { cert, key, minVersion: "TLSv1.2" as const };
}

/**
 * Performs a request once those before it on the same connection are answered. Node emits pipelined requests at once, and would
 * keep all of their answers in memory until the client reads them. A request that is waiting when its connection ends is never
 * performed.
 */
function performInTurn(
  { socket }: IncomingMessage,
  response: { once(event: "socket", listener: () => void): unknown },
  perform: () => void,
): void {
  const count = (waiting.get(socket) ?? 0) + 1;
  waiting.set(socket, count);
  if (count >= WAITING_MAX) socket.pause();
  // A response has the connection from then on.
  response.once("socket", () => {
    const left = (waiting.get(socket) ?? 1) - 1;
    waiting.set(socket, left);
    if (left === WAITING_MAX - 1) socket.resume();
    perform();
  });
}
