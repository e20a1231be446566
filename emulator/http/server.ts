/** The HTTP interface as one part of the service: its server, with a start and a stop. */
import { createServer, type RequestListener, type ServerOptions } from "node:http";
import { BalanceGate } from "./balancing/balance-handler.ts";
import { balancedTarget } from "./balancing/target.ts";
import { closeServer } from "../net/close-server.ts";
import { refusalAt } from "./dialect.ts";
import { CONTRACT_DIALECT } from "./dialects/contract-dialect.ts";
import { LIVE_DIALECT } from "./dialects/live-dialect.ts";
import { entrance, isBelow, mayEnter } from "./access/entrance.ts";
import { inTurn } from "./answers/in-turn.ts";
import { listen, type ListenAddress, urlOf } from "../net/listen.ts";
import { LiveGate } from "./workers/live-worker-handler.ts";
import { askGraphql } from "./live-management/ask-graphql.ts";
import { LIVE_WORKER_OPERATIONS } from "./workers/operations.ts";
import { LazyRouter } from "./lazy-router.ts";
import { SERVER_LIMITS } from "./server-limits.ts";
import { HttpService, type HttpServiceOptions } from "./service.ts";

export { ListenError, PortInUseError } from "../net/listen.ts";

/** Something else that answers requests on the same port: those to a path and all below it. It looks itself who may call. */
export interface Mount {
  readonly path: string;
  readonly listener: RequestListener;
}

export interface HttpServerOptions extends HttpServiceOptions {
  readonly mount?: Mount;
  /** In the place of some of `SERVER_LIMITS`. */
  readonly connectionLimits?: Pick<
    ServerOptions,
    "headersTimeout" | "requestTimeout" | "connectionsCheckingInterval"
  >;
  /** How long `stop` lets requests in flight go on before it cuts them off, ms; default 5,000. */
  readonly stopGraceMs?: number;
}

export interface HttpServer {
  /**
   * Listens; resolves with the base URL, for example `http://127.0.0.1:7080`.
   *
   * @throws PortInUseError, ListenError
   */
  start(address: ListenAddress): Promise<string>;
  /**
   * Takes no more requests, answers those who wait with what is known, and lets the others end within the grace time;
   * those that a worker's server works on have longer. Workers of the live dialect are listened to until they have ended.
   * Idempotent, also before `start`.
   */
  stop(): Promise<void>;
  /** Answers what workers of the live dialect call, and 404 to all else: for a port that only they are to reach. */
  readonly forWorkers: RequestListener;
}

const DEFAULT_STOP_GRACE_MS = 5_000;

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const service = new HttpService(options);
  const gate = new BalanceGate(service, refusalAt(CONTRACT_DIALECT, "/"));
  const server = createServer({
    ...SERVER_LIMITS,
    ...options.connectionLimits,
    shouldUpgradeCallback: (request) => gate.mayUpgrade(request) && mayEnter(service, request),
  });
  const router = new LazyRouter(service, CONTRACT_DIALECT, server);
  const live = new LazyRouter(service, LIVE_DIALECT, createServer());
  const workerGate = new LiveGate(service, options.liveWorkers ? LIVE_WORKER_OPERATIONS : {});
  const graphqlGate = new LiveGate(service, { askGraphql });
  const own = withMount(router.listener, {
    path: LIVE_DIALECT.basePath,
    listener: graphqlGate.before(live.listener),
  });
  const entered = entrance(service, gate.before(workerGate.before(own)));
  const listener = withMount(entered, options.mount);
  if (BalanceGate.canUpgrade) server.on("upgrade", (...upgrade) => gate.upgrade(...upgrade));
  // `100 Continue` is sent when the body is really wanted.
  const performed = inTurn(listener);
  server.on("request", performed).on("checkContinue", performed).on("checkExpectation", performed);
  let started: Promise<string> | undefined;
  let stopped: Promise<void> | undefined;
  const start = async (address: ListenAddress) => urlOf(address, await listen(server, address));
  const stop = async () => {
    service.beginStop();
    await started?.catch(() => undefined);
    // What they do ends with what they have to say of it.
    await options.liveWorkers?.left();
    const graceMs = options.stopGraceMs ?? DEFAULT_STOP_GRACE_MS;
    await closeServer(server, graceMs, gate.stop(graceMs));
    await Promise.all([router.close(), live.close()]);
  };
  return {
    forWorkers: inTurn(entrance(service, workerGate.before(notFound))),
    start(address) {
      if (started || stopped)
        return Promise.reject(new Error("an HTTP server can be started once only"));
      started = start(address);
      return started;
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

const notFound: RequestListener = (_request, response) => response.writeHead(404).end();

function withMount(own: RequestListener, mount: Mount | undefined): RequestListener {
  if (!mount) return own;
  return (request, response) => {
    // Below the name of a load balancing endpoint every path is its own.
    const isMounts =
      isBelow(mount.path, request.url ?? "") && balancedTarget(request) === undefined;
    return (isMounts ? mount.listener : own)(request, response);
  };
}
