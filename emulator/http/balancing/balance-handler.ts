/** Passes requests and WebSockets to load balancing endpoints on to a worker's server, if their key is valid. */
import { type IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { reachServer } from "../../balance/connect.ts";
import { putInSandbox } from "../../net/sandbox.ts";
import { inHaste, type ServerLife } from "../../net/server-life.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { AFFINITY_HEADER, readAffinity } from "../../core/balancing/choose-worker.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { InFlight } from "../../engine/balancing/in-flight.ts";
import type { Need } from "../../core/access/key-scope.ts";
import { admit } from "../operation/access/admission.ts";
import { watchKey } from "../operation/access/watch-key.ts";
import { ClientWait } from "../operation/requests/client-wait.ts";
import type { Refusal } from "../operation/dialect.ts";
import { type Exchange, refuse, refuseOrMove } from "../operation/answers/refuse.ts";
import { ClientGoneError, declaredLength, hasBody } from "../operation/requests/request-body.ts";
import type { HttpService } from "../operation/service.ts";
import { tunnel } from "./socket-tunnel.ts";
import type { Upgraded } from "../replicas/pass-upgrade.ts";
import type { Replicas } from "../replicas/replicas.ts";
import type { RawHeaders } from "../replicas/end-to-end-headers.ts";
import { headersForClient } from "./passed-headers.ts";
import { bodyTooLarge, ProxyRequest, type ProxyOptions } from "./proxy-request.ts";
import { balancedTarget, type BalancedTarget } from "./target.ts";

/** First version of Node in which a server can decide which requests it upgrades. */
const UPGRADES_SINCE = [24, 9] as const;

/** Maximum number of workers tried per request. */
const MAX_TRIES = 3;

/** A request with its worker. The worker's server has accepted a connection for it. */
interface Reached {
  readonly assigned: InFlight;
  readonly connection: Socket;
}

/** A request in progress, or the connection that it was upgraded to. */
interface Passing {
  readonly done: Promise<void>;
  tunnelSockets?: readonly Socket[];
  /** True: another replica answers and counts the request. */
  isElsewhere?: boolean;
}

export class BalanceHandler {
  readonly #service: HttpService;
  readonly #refusal: Refusal;
  readonly #replicas: Replicas | undefined;
  readonly #passing = new Set<Passing>();

  /** @param replicas absent: no other replica shares the store */
  constructor(service: HttpService, refusal: Refusal, replicas?: Replicas) {
    this.#service = service;
    this.#refusal = refusal;
    this.#replicas = replicas;
  }

  readonly answer = (
    request: IncomingMessage,
    response: ServerResponse,
    target: BalancedTarget,
  ): void => {
    const exchange = this.#exchange(request, response);
    this.#track(exchange, (passing) => this.#pass(passing, exchange, target));
  };

  async #pass(passing: Passing, exchange: Exchange, target: BalancedTarget): Promise<void> {
    const replicas = this.#replicas;
    const own = replicas ? await replicas.balance(exchange, target.endpointId) : exchange;
    passing.isElsewhere = own === undefined;
    if (own === undefined) return;
    try {
      const { assigned, connection } = await this.#reach(own, target, false);
      using _ = assigned;
      await new ProxyRequest({ exchange: own, target, assigned, connection }).done;
    } catch (error) {
      await refuseOrMove(own, error);
    }
  }

  /** Whether this version of Node lets a server refuse upgrades. Older versions never upgrade a request. */
  static get canUpgrade(): boolean {
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const [sinceMajor, sinceMinor] = UPGRADES_SINCE;
    return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor);
  }

  /** Whether a request may be upgraded. An upgrade to HTTP/2 is not allowed: its requests would bypass these checks. */
  mayUpgrade(request: IncomingMessage): boolean {
    const protocol = request.headers.upgrade?.toLowerCase() ?? "";
    return !protocol.startsWith("h2") && !hasBody(request) && balancedTarget(request) !== undefined;
  }

  /** Call this with each `upgrade` of the server. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const target = balancedTarget(request);
    if (target === undefined || !(socket instanceof Socket)) {
      socket.destroy();
      return;
    }
    socket.on("error", () => undefined);
    if (head.length > 0) socket.unshift(head);
    const response = new ServerResponse(request);
    if (target.prefix !== "") putInSandbox(response);
    // Any other answer closes the connection.
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once("finish", () => socket.destroySoon());
    const exchange = this.#exchange(request, response);
    this.#track(exchange, async (passing) => {
      const replicas = this.#replicas;
      const asked = () =>
        replicas?.upgrade(exchange, target.endpointId) ?? Promise.resolve("here" as const);
      const upgraded = replicas === undefined ? "here" : await watching(socket, asked);
      if (upgraded === undefined) return;
      if (upgraded !== "here") return this.#connectTo(passing, exchange, upgraded, socket);
      const reached = () => this.#reach(exchange, target, true);
      const moved = replicas && (() => replicas.upgradeMoved(exchange, target.endpointId));
      try {
        const { assigned, connection } = await watching(socket, reached);
        using _ = assigned;
        await this.#connect(passing, { exchange, target, assigned, connection }, socket);
      } catch (error) {
        await refuseOrMove({ ...exchange, moved }, error);
      }
    });
  }

  /**
   * Lets requests in flight finish within their time limit, and upgraded connections within `graceMs`; both are cut in a stop in
   * haste. Call it after waiting requests were refused.
   */
  async stop(graceMs: number, life?: ServerLife): Promise<void> {
    const hangUp = () => {
      for (const { tunnelSockets = [] } of this.#passing) {
        for (const socket of tunnelSockets) socket.destroy();
      }
    };
    const limit = Promise.withResolvers<void>();
    const timers = [setTimeout(hangUp, graceMs), setTimeout(limit.resolve, LIMITS.balancedStopMs)];
    const calledOff = inHaste(life, () => {
      hangUp();
      limit.resolve();
    });
    const done = Promise.all([...this.#passing].map((passing) => passing.done));
    await Promise.race([done, limit.promise]);
    calledOff();
    for (const timer of timers) clearTimeout(timer);
  }

  #exchange(request: IncomingMessage, response: ServerResponse): Exchange {
    return { service: this.#service, refusal: this.#refusal, request, response };
  }

  #track(exchange: Exchange, pass: (passing: Passing) => Promise<void>): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const passing: Passing = { done: promise };
    const startedAt = performance.now();
    this.#passing.add(passing);
    pass(passing)
      .catch((error: unknown) => refuse(exchange, error))
      .finally(() => {
        this.#passing.delete(passing);
        if (passing.isElsewhere !== true)
          this.#count(exchange, passing, performance.now() - startedAt);
        resolve();
      });
  }

  #count({ response }: Exchange, { tunnelSockets }: Passing, durationMs: number): void {
    const answered = response.headersSent ? String(response.statusCode) : "none";
    const code = tunnelSockets === undefined ? answered : "101";
    this.#service.engine.metrics.requestAnswered("balanced", code, durationMs);
  }

  async #assign(exchange: Exchange, target: BalancedTarget): Promise<InFlight> {
    const { service, request, response } = exchange;
    const { endpointId } = target;
    admit(service, request, needOf(target));
    if ((declaredLength(request) ?? 0) > LIMITS.balancedBodyMaxBytes) throw bodyTooLarge();
    const wanted = request.headers[AFFINITY_HEADER];
    const affinity = readAffinity(Array.isArray(wanted) ? wanted.join() : wanted);
    using wait = new ClientWait(service, response);
    try {
      return await service.engine.balancer.assign(endpointId, affinity, wait.signal);
    } catch (error) {
      if (!wait.signal.aborted) throw error;
      if (wait.isStopping) throw new ServiceError("shutting_down", "the service is stopping");
      throw new ClientGoneError("the client went away while it waited for a worker");
    }
  }

  /**
   * A worker with a server that accepts the connection. Servers that did not accept it received nothing, so another worker can
   * be tried.
   */
  async #reach(exchange: Exchange, target: BalancedTarget, upgrades: boolean): Promise<Reached> {
    for (let tried = 1; ; tried += 1) {
      const assigned = await this.#assign(exchange, target);
      try {
        const connection = await reachServer(assigned.server, upgrades, assigned.signal);
        if (!exchange.response.destroyed) return { assigned, connection };
        connection.destroy();
      } catch (error) {
        assigned.failedToReach();
        if (assigned.signal.aborted) throw error;
        if (tried < MAX_TRIES) continue;
        throw unreachable(assigned, error);
      }
      assigned[Symbol.dispose]();
      throw new ClientGoneError("the client went away before its worker was reached");
    }
  }

  /** Connects the client with the replica that has upgraded its request. */
  #connectTo(
    passing: Passing,
    { response }: Exchange,
    { answer, server }: Upgraded,
    socket: Socket,
  ): Promise<void> {
    // Resets the other connection too: a plain end would look as if the client had finished.
    passing.tunnelSockets = [socket];
    passing.isElsewhere = true;
    response.detachSocket(socket);
    socket.write(switching(answer, answer.rawHeaders));
    return tunnel(socket, server);
  }

  async #connect(passing: Passing, options: ProxyOptions, socket: Socket): Promise<void> {
    const { assigned, exchange, target } = options;
    const { service, request } = exchange;
    const key = admit(service, request, needOf(target));
    const ends: (() => void)[] = [];
    const upgrade = exchange.request.headers.upgrade ?? "websocket";
    const proxied = new ProxyRequest({ ...options, upgrade });
    const tunnelled = new Promise<void>((resolve) => {
      proxied.upstream.once("upgrade", (answer, server: Socket, head: Buffer) => {
        proxied.leave();
        assigned.upgraded();
        passing.tunnelSockets = [socket, server];
        exchange.response.detachSocket(socket);
        const way = { workerId: assigned.workerId, target };
        socket.write(switching(answer, headersForClient(answer, way, { upgraded: true })));
        if (head.length > 0) server.unshift(head);
        assigned.signal.addEventListener("abort", () => server.destroy());
        if (key) ends.push(watchKey(service, key, () => server.destroy()));
        resolve(tunnel(socket, server));
      });
    });
    await Promise.race([proxied.done, tunnelled]);
    for (const end of ends) end();
  }
}

/** A request to a worker's server never counts as reading, because the server may change anything. */
function needOf({ endpointId }: BalancedTarget): Need {
  return { part: "jobs", reads: false, endpointId };
}

/** Reading from the socket is the only way to notice that the client has gone. */
async function watching<T>(socket: Socket, work: () => Promise<T>): Promise<T> {
  const look = () => {
    if (socket.readableLength === 0) socket.read(0);
  };
  const gone = () => socket.destroy();
  socket.on("readable", look).once("end", gone);
  try {
    return await work();
  } finally {
    socket.removeListener("readable", look).removeListener("end", gone);
  }
}

/** A connection that was tried at two addresses fails without a message. */
function unreachable({ workerId }: InFlight, error: unknown): ServiceError {
  const { message, code = "" } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { message: "" };
  const reason = message === "" ? code : message;
  return new ServiceError(
    "worker_failed",
    `the server of worker ${workerId} cannot be reached: ${reason}; does it listen on the port in PORT?`,
  );
}

/** The head of the answer that upgrades the connection. */
function switching(answer: IncomingMessage, headers: RawHeaders): string {
  const lines = [`HTTP/1.1 101 ${answer.statusMessage ?? "Switching Protocols"}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}
