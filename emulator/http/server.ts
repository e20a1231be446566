/** The HTTP interface as one part of the service: its server, with a start and a stop. */
import type { IncomingMessage, RequestListener, ServerOptions } from "node:http";
import type { Duplex } from "node:stream";
import { BalanceHandler } from "./balancing/balance-handler.ts";
import { balancedTarget } from "./balancing/target.ts";
import type { Certificate } from "../net/certificate.ts";
import { closeServer } from "../net/close-server.ts";
import { LISTENERS } from "../net/listener-limits.ts";
import type { ServerLife } from "../net/server-life.ts";
import { createWebServer } from "../net/web-server.ts";
import { refusalAt } from "./operation/dialect.ts";
import { CONTRACT_DIALECT } from "./operation/dialects/contract-dialect.ts";
import { callerGuard, mayEnter } from "./caller-guard.ts";
import { answerClientError, isAnswering } from "./operation/answers/client-error.ts";
import { Replicas } from "./replicas/replicas.ts";
import { listen, type ListenAddress, urlOf } from "../net/listen.ts";
import { isBelow } from "./operation/requests/url-path.ts";
import { Router } from "./router.ts";
import { SERVER_LIMITS } from "./operation/server-limits.ts";
import { HttpService, type HttpServiceOptions } from "./operation/service.ts";

export { ListenError, PortInUseError } from "../net/listen.ts";

/** An additional handler on the same port, for a path and everything below it. It checks callers itself. */
export interface Mount {
  readonly path: string;
  readonly listener: RequestListener;
}

export interface HttpServerOptions extends HttpServiceOptions {
  readonly mount?: Mount;
  /** Certificate for HTTPS; without one the server uses HTTP. */
  readonly certificate?: Certificate | undefined;
  /** Overrides of `SERVER_LIMITS`. */
  readonly connectionLimits?: Pick<
    ServerOptions,
    "headersTimeout" | "requestTimeout" | "connectionsCheckingInterval"
  >;
  /** Time that `stop` gives requests in flight, ms; default 5,000. */
  readonly stopGraceMs?: number;
  readonly life?: ServerLife;
}

export interface HttpServer {
  /**
   * Listens; resolves with the base URL, for example `http://127.0.0.1:7080`.
   * @throws PortInUseError, ListenError
   */
  start(address: ListenAddress): Promise<string>;
  /** The base URL; undefined before it listens. */
  readonly url: string | undefined;
  /**
   * Refuses new requests, answers waiting clients with the present state, and lets other requests finish within the grace time.
   * Requests to workers' servers have longer. Live workers can report until they have exited; until then new clients are told
   * that the service stops. Idempotent, also before `start`.
   * @param worksUntil settles when all work is done; default: there is none
   */
  stop(worksUntil?: Promise<unknown>): Promise<void>;
  /** New connections use this certificate; open ones keep theirs. */
  useCertificate(certificate: Certificate): void;
  /** An address that opens the dashboard once, below `url`; undefined without a dashboard. */
  dashboardLink(url: string): string | undefined;
  /** Answers operations of live workers, and everything else with 404: for a port that only they can reach. */
  readonly forWorkers: RequestListener;
}

const DEFAULT_STOP_GRACE_MS = 5_000;

export function createHttpServer(options: HttpServerOptions): HttpServer {
  const service = new HttpService(options);
  const { certificate, life } = options;
  const { server, useCertificate, router, gate, replicas } = openServer(service, options);
  let started: Promise<string> | undefined;
  let stopped: Promise<void> | undefined;
  let url: string | undefined;
  const start = async (address: ListenAddress) => {
    url = urlOf(address, await listen(server, address), certificate ? "https" : "http");
    return url;
  };
  const stop = async (worksUntil: Promise<unknown> | undefined) => {
    service.beginStop();
    await started?.catch(() => undefined);
    // Workers report their jobs before they exit.
    await options.liveWorkers?.allExited();
    const graceMs = options.stopGraceMs ?? DEFAULT_STOP_GRACE_MS;
    const answered = gate.stop(graceMs, life);
    await Promise.allSettled([worksUntil]);
    service.endStop();
    // Other replicas reconnect while the port is open.
    const closed = closeServer(server, graceMs, answered, life);
    void answered.then(() => replicas?.listener.stop(graceMs));
    await closed;
    replicas?.close();
  };
  return {
    forWorkers: forWorkers(service, router),
    useCertificate,
    dashboardLink: (base) => service.dashboard.linkBelow(base),
    get url() {
      return url;
    },
    start(address) {
      if (started || stopped)
        return Promise.reject(new Error("an HTTP server can be started once only"));
      started = start(address);
      return started;
    },
    stop(worksUntil) {
      stopped ??= stop(worksUntil);
      return stopped;
    },
  };
}

function forWorkers(service: HttpService, router: Router): RequestListener {
  const own: RequestListener = (request, response) => {
    if (router.isForWorkers(request)) router.listener(request, response);
    else response.writeHead(404).end();
  };
  return callerGuard(service, router, { own, balanced: own });
}

function openServer(service: HttpService, options: HttpServerOptions) {
  const refusal = refusalAt(CONTRACT_DIALECT, "/");
  const { certificate, connectionLimits, ownership, life } = options;
  const perform: RequestListener = (request, response) => {
    const target = balancedTarget(request);
    if (target) gate.answer(request, response, target);
    else router.listener(request, response);
  };
  const replicas = ownership && new Replicas(service, ownership, perform);
  const gate = new BalanceHandler(service, refusal, replicas);
  const shouldUpgradeCallback = (request: IncomingMessage) =>
    !isAnswering(request.socket) &&
    (replicas?.listener.mayConnect(request) === true ||
      (gate.mayUpgrade(request) &&
        (replicas?.listener.look(request) === true || mayEnter(service, request))));
  const limits = { limits: LISTENERS.clients, log: options.log, life };
  const serverOptions = { ...SERVER_LIMITS, ...connectionLimits, ...limits, shouldUpgradeCallback };
  const { server, useCertificate, guarded } = createWebServer(serverOptions, certificate);
  server.on("clientError", (error, socket) => answerClientError(refusal, error, socket));
  const router = new Router(service, replicas);
  const destinations = { own: router.listener, balanced: gate.answer };
  const clients = withMount(callerGuard(service, router, destinations), options.mount);
  const listener = replicas?.listener.before(clients) ?? clients;
  if (BalanceHandler.canUpgrade) {
    const upgraded = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (replicas?.listener.take(request, socket, head) !== true)
        gate.upgrade(request, socket, head);
    };
    server.on("upgrade", guarded(upgraded));
  }
  // `100 Continue` is sent when the body is read.
  const performed = guarded(listener);
  server.on("request", performed).on("checkContinue", performed).on("checkExpectation", performed);
  return { server, useCertificate, router, gate, replicas };
}

function withMount(own: RequestListener, mount: Mount | undefined): RequestListener {
  if (!mount) return own;
  return (request, response) => {
    // A load balancing endpoint with a host name of its own owns all paths.
    const isMounts =
      isBelow(mount.path, request.url ?? "") && balancedTarget(request) === undefined;
    return (isMounts ? mount.listener : own)(request, response);
  };
}
