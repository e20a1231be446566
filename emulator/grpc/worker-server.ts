/** The gRPC server for workers: one session for each, authenticated by its token. */
import * as grpc from "@grpc/grpc-js";
import { MESSAGE_MAX_BYTES, WORKER_SERVICE } from "../../runtime/protocol/wire/worker-wire.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { WorkerHandle } from "../engine/workers/worker-handle.ts";
import type { OpenSession } from "../engine/workers/worker-session.ts";
import { GrpcSession, type WorkerCall } from "./grpc-session.ts";
import { widenWindows } from "./widen-window.ts";

export interface WorkerServerOptions {
  /** `host:port` (port 0: any free one) or `unix:/path`. */
  readonly address: string;
  readonly log: EngineLog;
  /** The worker of a token; undefined for a token that is not valid. */
  authenticate(token: string): WorkerHandle | undefined;
  readonly openSession: OpenSession;
}

export class WorkerServer {
  readonly #options: WorkerServerOptions;
  readonly #server: grpc.Server;
  readonly #sessions = new Set<GrpcSession>();
  #address: string | undefined;
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
      session: (call: WorkerCall) => this.#open(call),
    });
  }

  /** The address workers are to be given. @throws Error before `start` */
  get address(): string {
    if (this.#address === undefined) throw new Error("the worker port is not open yet");
    return this.#address;
  }

  /** Opens the port. @throws Error naming the address when it cannot be opened */
  async start(): Promise<void> {
    const { address } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    this.#server.bindAsync(address, grpc.ServerCredentials.createInsecure(), (error, port) => {
      if (error) reject(new Error(`the worker port ${address} cannot be opened: ${error.message}`));
      else resolve(port);
    });
    const port = await promise;
    this.#windows = widenWindows();
    this.#address = address.startsWith("unix:") ? address : address.replace(/:\d+$/u, `:${port}`);
  }

  /** Ends all sessions and closes the port. Idempotent, also before `start`. */
  async stop(): Promise<void> {
    this.#windows?.[Symbol.dispose]();
    for (const session of this.#sessions) session.end();
    this.#server.forceShutdown();
    await Promise.resolve();
  }

  #open(call: WorkerCall): void {
    const worker = this.#options.authenticate(bearerToken(call.metadata));
    if (!worker) {
      call.emit("error", {
        code: grpc.status.UNAUTHENTICATED,
        details: "the worker token is missing or not valid (any more)",
      });
      return;
    }
    const session = new GrpcSession(
      call,
      (send) => this.#options.openSession(worker, send),
      this.#options.log,
    );
    this.#sessions.add(session);
    void session.ended.then(() => this.#sessions.delete(session));
  }
}

function bearerToken(metadata: grpc.Metadata): string {
  const [header] = metadata.get("authorization");
  return typeof header === "string" ? header.replace(/^Bearer /u, "") : "";
}
