/** Workers that speak gRPC: from elsewhere, in containers, of other languages. Loaded when the first one connects. */
import type { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import * as grpc from "@grpc/grpc-js";
import { MESSAGE_MAX_BYTES, WORKER_SERVICE } from "../../runtime/protocol/wire/worker-wire.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { ListenerGuard } from "../net/listener-guard.ts";
import type { WorkerCall } from "./wire-session.ts";
import type { Caller } from "./worker-admission.ts";
import { STREAMS_MAX, type WorkerConnection, WorkerTransport } from "./worker-transport.ts";

type GrpcCall = grpc.ServerDuplexStream<Buffer, Buffer>;

export type TakeCall = (
  call: WorkerCall,
  caller: Caller,
  connection: WorkerConnection | undefined,
) => void;

// grpc-js would write the input of peers to stderr unchanged.
grpc.setLogVerbosity(grpc.logVerbosity.NONE);

export class GrpcWorkers {
  readonly #server: grpc.Server;
  readonly #transport: WorkerTransport;

  constructor(take: TakeCall, log: EngineLog) {
    this.#server = new grpc.Server({
      "grpc.max_receive_message_length": MESSAGE_MAX_BYTES,
      "grpc.max_send_message_length": MESSAGE_MAX_BYTES,
      "grpc.max_concurrent_streams": STREAMS_MAX,
      "grpc.keepalive_time_ms": 30_000,
      // Its statistics, kept for each message, are never read.
      "grpc.enable_channelz": 0,
    });
    this.#server.addService(WORKER_SERVICE, {
      session: (call: GrpcCall) => take(call, callerOf(call), this.#transport.current),
    });
    this.#transport = new WorkerTransport(this.#server, log);
  }

  /** Takes a connection that `guard` has counted. */
  inject(socket: Socket, guard: ListenerGuard): void {
    this.#transport.inject(socket, guard);
  }

  /** Ends each connection when its streams have ended. */
  close(): void {
    this.#transport.close();
  }

  /** Cuts all connections. */
  cut(): void {
    this.#server.forceShutdown();
  }
}

function callerOf(call: GrpcCall): Caller {
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
