/** A call of gRPC: the wire to a service that is elsewhere. */
import { Buffer } from "node:buffer";
import {
  type ChannelCredentials,
  Client,
  type ClientDuplexStream,
  Metadata,
  status,
  type StatusObject,
} from "@grpc/grpc-js";
import { MESSAGE_MAX_BYTES, WORKER_SERVICE } from "../protocol/wire/worker-wire.ts";
import type { SessionEnd } from "./session.ts";
import type { Opener, OpenWire, Wire, WireEvents } from "./wire-session.ts";

const { path, requestSerialize, responseDeserialize } = WORKER_SERVICE.session;

const channelOptions = {
  "grpc.max_receive_message_length": MESSAGE_MAX_BYTES,
  "grpc.max_send_message_length": MESSAGE_MAX_BYTES,
  // A vanished peer is noticed after 25 s: an answer may wait some seconds behind payloads on a long line.
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 15_000,
  // Each session connects anew and at once: the source has a backoff of its own.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.enable_retries": 0,
  // The statistics are kept for each message and are not used.
  "grpc.enable_channelz": 0,
  "grpc.service_config_disable_resolution": 1,
  // The default window of HTTP/2, 64 kB, would let a large payload wait for a receipt every 64 kB.
  "grpc-node.flow_control_window": 4_000_000,
} as const;

/** Where a call is made, and with what trust. */
export interface GrpcPlace {
  readonly target: string;
  readonly tls: ChannelCredentials;
  /** The name of the service in the TLS handshake; default: the host of the target. */
  readonly name?: string;
  /** The proxy on the way; default: none. */
  readonly proxy?: string | undefined;
}

export function overGrpc(place: GrpcPlace, opener: Opener): OpenWire {
  return (events) => new GrpcWire(place, opener, events);
}

class GrpcWire implements Wire {
  readonly #stream: ClientDuplexStream<Buffer, Buffer>;

  constructor({ target, tls, name, proxy }: GrpcPlace, opener: Opener, events: WireEvents) {
    // The library reads the proxy from the environment alone, by names in lower case.
    if (proxy !== undefined) process.env["grpc_proxy"] = proxy;
    const client = new Client(target, tls, {
      ...channelOptions,
      "grpc.enable_http_proxy": proxy === undefined ? 0 : 1,
      ...(name !== undefined && { "grpc.ssl_target_name_override": name }),
    });
    const metadata = new Metadata();
    metadata.set("authorization", `Bearer ${opener.token}`);
    metadata.set("worker-instance", opener.instance);
    this.#stream = client.makeBidiStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      metadata,
    );
    this.#stream.on("data", (bytes: Buffer) => events.message(bytes));
    // The status event tells the same and comes in any case; without a listener the error would be thrown.
    this.#stream.on("error", () => {});
    this.#stream.on("status", (end: StatusObject) => {
      client.close();
      events.ended(describeEnd(end));
    });
  }

  write(message: readonly Buffer[], written?: () => void): void {
    this.#stream.write(Buffer.concat(message), () => written?.());
  }

  end(): void {
    this.#stream.end();
  }

  cancel(reason?: string): void {
    if (reason === undefined) this.#stream.cancel();
    else this.#stream.call?.cancelWithStatus(status.INVALID_ARGUMENT, reason);
  }
}

const refusals = new Set<number>([
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.NOT_FOUND,
]);

function describeEnd({ code, details }: StatusObject): SessionEnd {
  const name = status[code] ?? String(code);
  return { refused: refusals.has(code), reason: details === "" ? name : `${name}: ${details}` };
}
