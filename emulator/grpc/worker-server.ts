/** The server for workers: frames on this machine, gRPC otherwise, with one session for each admitted worker. */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { encodeOrders, writeServiceMessage } from "../../runtime/protocol/wire/worker-wire.ts";
import { FrameStream } from "../../runtime/pipe/frame-stream.ts";
import { socketPathProblem, unixSocketOf } from "../../runtime/protocol/environment/socket-path.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { Send, WorkerHandle } from "../engine/workers/worker-handle.ts";
import type { OpenSession } from "../engine/workers/session/worker-session.ts";
import { tellFrames } from "./frames.ts";
import { WireSession, type WorkerCall } from "./wire-session.ts";
import { ListenerGuard } from "../net/listener-guard.ts";
import { LISTENERS } from "../net/listener-limits.ts";
import { RefusalLog } from "../net/refusal-log.ts";
import type { ServerLife } from "../net/server-life.ts";
import type { GrpcWorkers } from "./grpc-workers.ts";
import { STATUS } from "./status.ts";
import type { Admission, Caller } from "./worker-admission.ts";
import { type TlsPort, type TlsPortOptions, openTlsPort } from "./tls-port.ts";
import type { WorkerConnection } from "./worker-transport.ts";

export interface WorkerServerOptions {
  /** `host:port` (port 0: any free one) or `unix:/path`, without TLS: for workers of this machine. */
  readonly address: string;
  readonly log: EngineLog;
  readonly admit: (caller: Caller) => Admission | Promise<Admission>;
  readonly openSession: OpenSession;
  readonly life?: ServerLife;
}

/** Time that a stop leaves for the last messages before it cuts connections. */
const STOP_GRACE_MS = 500;

/** A worker of this machine learns by receipts only that it may forget its jobs, ms. */
const RECEIPTS_WAIT_MS = 50;

export class WorkerServer {
  readonly #options: WorkerServerOptions;
  #grpc: Promise<GrpcWorkers> | undefined;
  readonly #server: Server;
  readonly #guard: ListenerGuard;
  readonly #refusals: RefusalLog;
  readonly #sessions = new Set<WireSession>();
  #address: string | undefined;
  readonly #tlsPorts: TlsPort[] = [];

  constructor(options: WorkerServerOptions) {
    this.#options = options;
    const { log } = options;
    this.#refusals = new RefusalLog((fields, sentence) => log.warn(fields, sentence));
    this.#server = createServer({ noDelay: true });
    this.#guard = new ListenerGuard(this.#server, {
      limits: LISTENERS.workerSocket,
      refusals: this.#refusals,
      closesWaiting: true,
      holdsProcess: options.life?.holdsProcess,
    });
    this.#server.on("connection", (socket) =>
      tellFrames(socket, {
        frames: (call, caller) => this.#take(call, caller, this.#connectionOf(socket)),
        other: () => this.#takeGrpc(socket, this.#guard),
      }),
    );
  }

  /** The address for workers of this machine. @throws Error before `start` */
  get address(): string {
    if (this.#address === undefined) throw new Error("the worker port is not open yet");
    return this.#address;
  }

  /** Opens the port. @throws Error with the address if it cannot be opened */
  async start(): Promise<void> {
    const { address } = this.#options;
    const path = unixSocketOf(address);
    const problem = socketPathProblem(path ?? "");
    if (problem !== undefined) throw new Error(`the worker port cannot be opened: ${problem}`);
    const [, host = "", port = ""] = /^(.*):(\d+)$/u.exec(address) ?? [];
    try {
      this.#server.listen(path === undefined ? { host, port: Number(port) } : { path });
      await once(this.#server, "listening");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const sentence = `the worker port ${address} cannot be opened: ${reason}`;
      throw new Error(sentence, { cause: error });
    }
    const bound = this.#server.address();
    this.#address = typeof bound === "object" && bound ? `${host}:${bound.port}` : address;
  }

  /** Opens a further port with TLS for workers elsewhere. It is closed with this server. @throws ListenError */
  async listenTls(options: Pick<TlsPortOptions, "certificate" | "listen">): Promise<TlsPort> {
    const { log } = this.#options;
    const take: TlsPortOptions["take"] = (socket, guard) => this.#takeGrpc(socket, guard);
    const port = await openTlsPort({ ...options, log, take });
    this.#tlsPorts.push(port);
    return port;
  }

  /** Ends all sessions and closes the ports. Idempotent, also before `start`. */
  async stop(): Promise<void> {
    this.#server.close();
    for (const session of this.#sessions) session.end();
    const grpc = await this.#grpc?.catch(() => undefined);
    grpc?.close();
    const closing = this.#tlsPorts.map((port) => port.close(STOP_GRACE_MS));
    await Promise.all([...closing, this.#guard.close(STOP_GRACE_MS)]);
    grpc?.cut();
    this.#refusals.stop();
  }

  /** Loads grpc-js first, which takes long and which workers of this machine do not need. */
  #takeGrpc(socket: Socket, guard: ListenerGuard): void {
    const { log } = this.#options;
    this.#grpc ??= import("./grpc-workers.ts").then(
      ({ GrpcWorkers }) => new GrpcWorkers((...call) => this.#take(...call), log),
    );
    this.#grpc
      .then((grpc) => {
        if (!socket.destroyed) grpc.inject(socket, guard);
      })
      .catch((error: unknown) => {
        this.#grpc = undefined;
        log.error({ err: error }, "a connection of gRPC could not be taken");
        socket.destroy();
      });
  }

  #connectionOf(socket: Socket): WorkerConnection {
    return {
      began: () => this.#guard.letIn(socket),
      ended: () => this.#guard.wait(socket),
    };
  }

  #take(call: WorkerCall, caller: Caller, connection: WorkerConnection | undefined): void {
    this.#open(call, caller, connection).catch((error: unknown) => {
      this.#options.log.error({ err: error }, "a worker's session could not be opened");
      call.emit("error", { code: STATUS.INTERNAL, details: "the session was not opened" });
    });
  }

  async #open(
    call: WorkerCall,
    caller: Caller,
    connection: WorkerConnection | undefined,
  ): Promise<void> {
    // The last part is the port.
    const peer = caller.peer.replace(/:\d+$/u, "");
    for (const port of this.#tlsPorts) port.heard(peer);
    // Messages that arrive meanwhile are read once the session is open.
    const admission = await this.#options.admit(caller);
    if (call.destroyed) return;
    if ("worker" in admission) return this.#begin(call, admission.worker, connection);
    if ("redirect" in admission) {
      call.write(writeServiceMessage(encodeOrders({ redirect: admission.redirect })));
      call.end();
      return;
    }
    call.emit("error", { code: admission.code, details: admission.reason });
  }

  #begin(call: WorkerCall, worker: WorkerHandle, connection: WorkerConnection | undefined): void {
    const { log, openSession } = this.#options;
    const open = (send: Send) => openSession(worker, send);
    const receiptsWaitMs = call instanceof FrameStream ? RECEIPTS_WAIT_MS : 0;
    const session = new WireSession({ call, open, log, receiptsWaitMs });
    connection?.began();
    this.#sessions.add(session);
    // A worker that is no longer counted must connect again, and then learns why it is not admitted.
    const end = () => session.end("the worker is no longer counted; it may connect again");
    worker.gone.addEventListener("abort", end, { once: true });
    void session.ended.then(() => {
      this.#sessions.delete(session);
      connection?.ended();
      worker.gone.removeEventListener("abort", end);
    });
  }
}
