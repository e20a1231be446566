/** The gRPC server for workers: one session for each, opened by whom the admission lets in. */
import * as grpc from "@grpc/grpc-js";
import {
  encodeOrders,
  MESSAGE_MAX_BYTES,
  WORKER_SERVICE,
} from "../../runtime/protocol/wire/worker-wire.ts";
import { socketPathProblem, unixSocketOf } from "../../runtime/protocol/socket-path.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { WorkerHandle } from "../engine/workers/worker-handle.ts";
import type { OpenSession } from "../engine/workers/session/worker-session.ts";
import { GrpcSession, type WorkerCall } from "./grpc-session.ts";
import { widenWindows } from "./widen-window.ts";
import type { Admission, Caller } from "./worker-admission.ts";
import { type TlsPort, type TlsPortOptions, openTlsPort } from "./tls-port.ts";

export interface WorkerServerOptions {
  /** `host:port` (port 0: any free one) or `unix:/path`, without TLS: for workers of this machine. */
  readonly address: string;
  readonly log: EngineLog;
  readonly admit: (caller: Caller) => Admission | Promise<Admission>;
  readonly openSession: OpenSession;
}

export class WorkerServer {
  readonly #options: WorkerServerOptions;
  readonly #server: grpc.Server;
  readonly #sessions = new Set<GrpcSession>();
  #address: string | undefined;
  readonly #tlsPorts: TlsPort[] = [];
  #windows: Disposable | undefined;

  constructor(options: WorkerServerOptions) {
    this.#options = options;
    this.#server = new grpc.Server({
      "grpc.max_receive_message_length": MESSAGE_MAX_BYTES,
      "grpc.max_send_message_length": MESSAGE_MAX_BYTES,
      "grpc.keepalive_time_ms": 30_000,
      // Nobody asks for its statistics, which are kept for each message.
      "grpc.enable_channelz": 0,
    });
    this.#server.addService(WORKER_SERVICE, {
      session: (call: WorkerCall) => void this.#open(call),
    });
  }

  /** The address workers of this machine are to be given. @throws Error before `start` */
  get address(): string {
    if (this.#address === undefined) throw new Error("the worker port is not open yet");
    return this.#address;
  }

  /** Opens the port. @throws Error naming the address when it cannot be opened */
  async start(): Promise<void> {
    const { address } = this.#options;
    const problem = socketPathProblem(unixSocketOf(address) ?? "");
    if (problem !== undefined) throw new Error(`the worker port cannot be opened: ${problem}`);
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#server.bindAsync(address, grpc.ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(new Error(`the worker port ${address} cannot be opened: ${error.message}`));
      else resolve(port);
    });
    const port = await promise;
    this.#windows = widenWindows();
    this.#address = address.startsWith("unix:") ? address : address.replace(/:\d+$/u, `:${port}`);
  }

  /** Opens a further port, with TLS, for workers that are not on this machine. It is closed with the other. @throws ListenError */
  async listenTls(options: Pick<TlsPortOptions, "certificate" | "listen">): Promise<TlsPort> {
    const { log } = this.#options;
    const injector = this.#server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
    const take: TlsPortOptions["take"] = (socket) => injector.injectConnection(socket);
    const port = await openTlsPort({ ...options, log, take });
    this.#tlsPorts.push(port);
    return port;
  }

  /** Ends all sessions and closes the ports. Idempotent, also before `start`. */
  async stop(): Promise<void> {
    this.#windows?.[Symbol.dispose]();
    for (const session of this.#sessions) session.end();
    for (const port of this.#tlsPorts) port.close();
    this.#server.forceShutdown();
    await Promise.resolve();
  }

  async #open(call: WorkerCall): Promise<void> {
    const caller = callerOf(call);
    // Its last part is the port.
    const peer = caller.peer.replace(/:\d+$/u, "");
    for (const port of this.#tlsPorts) port.heard(peer);
    // What it says meanwhile is read once there is somebody to hear it.
    const admission = await this.#options.admit(caller);
    if (call.cancelled) return;
    if ("worker" in admission) return this.#begin(call, admission.worker);
    if ("redirect" in admission) {
      call.write(encodeOrders({ redirect: admission.redirect }));
      call.end();
      return;
    }
    call.emit("error", { code: admission.code, details: admission.reason });
  }

  #begin(call: WorkerCall, worker: WorkerHandle): void {
    const { log, openSession } = this.#options;
    const session = new GrpcSession(call, (send) => openSession(worker, send), log);
    this.#sessions.add(session);
    // A worker that is not counted any more has to come anew, and hears then why it is not let in.
    const end = () => session.end("the worker is not counted any more; it may come anew");
    worker.gone.addEventListener("abort", end, { once: true });
    void session.ended.then(() => {
      this.#sessions.delete(session);
      worker.gone.removeEventListener("abort", end);
    });
  }
}

function callerOf(call: WorkerCall): Caller {
  const { metadata } = call;
  return {
    token: (textIn(metadata, "authorization") ?? "").replace(/^Bearer /u, ""),
    instance: textIn(metadata, "worker-instance"),
    peer: call.getPeer(),
  };
}

function textIn(metadata: grpc.Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === "string" ? value : undefined;
}
