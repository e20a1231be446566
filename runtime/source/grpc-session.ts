/** One gRPC session: one bidirectional stream from its opening to its end. */
import {
  type ChannelCredentials,
  Client,
  Metadata,
  status,
  type StatusObject,
} from "@grpc/grpc-js";
import type { ServiceOrders, WorkerReport } from "../protocol/session.ts";
import { defined } from "../protocol/without-undefined.ts";
import {
  decodeOrders,
  encodeReport,
  MESSAGE_MAX_BYTES,
  MessageLink,
  PIECE_BYTES,
  PiecesInMemory,
  WireError,
  WORKER_SERVICE,
  type ServiceMessage,
} from "../protocol/wire/worker-wire.ts";
import { payloadBytesOf } from "./outbox.ts";
import type { Session, SessionEnd, SessionEvents } from "./session.ts";

const { path, requestSerialize, responseDeserialize } = WORKER_SERVICE.session;

/** Maximum bundles in transit. More would only lengthen the transport's queue. */
const MAX_WRITES = 4;
/** Timeout of the goodbye of an ended session. */
const GOODBYE_MS = 1_000;

/** Window of HTTP/2 over a network. With the default, a large payload would wait for a receipt every 64 kB. */
const LINE_WINDOW_BYTES = 4_000_000;
/**
 * Window of HTTP/2 on a Unix socket, whose buffers hold 208 kB. Node does not read from a connection while it waits to write to
 * it. If both ends filled the buffers with large payloads, both would wait forever. With this window, the messages of the
 * service always find room.
 */
const SOCKET_WINDOW_BYTES = 131_072;

const channelOptions = {
  "grpc.max_receive_message_length": MESSAGE_MAX_BYTES,
  "grpc.max_send_message_length": MESSAGE_MAX_BYTES,
  // A vanished peer is noticed after 25 s. An answer may wait some seconds behind payloads on a slow network.
  "grpc.keepalive_time_ms": 10_000,
  "grpc.keepalive_timeout_ms": 15_000,
  // Each session connects anew and at once, because the source has its own backoff.
  "grpc.use_local_subchannel_pool": 1,
  "grpc.enable_retries": 0,
  // The statistics are kept for each message and are not used.
  "grpc.enable_channelz": 0,
  "grpc.service_config_disable_resolution": 1,
} as const;

/** The address and the trusted certificate of a session. */
export interface Door {
  readonly target: string;
  readonly tls: ChannelCredentials;
  /** The name of the service in the TLS handshake; default: the host of the target. */
  readonly name?: string;
}

/** The worker that opens a session. */
export interface Opener {
  readonly token: string;
  /** The id by which the service recognises a worker that it has not started. */
  readonly instance: string;
}

/** Opens on construction. */
export class GrpcSession implements Session {
  readonly #client: Client;
  readonly #stream: ReturnType<typeof openStream>;
  readonly #ended = Promise.withResolvers<void>();
  readonly #link: MessageLink<ServiceMessage, PiecesInMemory>;
  #writes = 0;
  #isClosing = false;

  constructor({ target, tls, name }: Door, opener: Opener, events: SessionEvents) {
    const options = {
      ...channelOptions,
      "grpc-node.flow_control_window": target.startsWith("unix:")
        ? SOCKET_WINDOW_BYTES
        : LINE_WINDOW_BYTES,
      ...(name !== undefined && { "grpc.ssl_target_name_override": name }),
    };
    this.#client = new Client(target, tls, options);
    this.#stream = openStream(this.#client, opener);
    this.#link = new MessageLink({
      write: (parts) => void this.#stream.write({ ...encodeReport({}), ...parts }),
      spaceFor: (sizeBytes) => new PiecesInMemory(sizeBytes),
      allSent: () => {
        if (this.#isClosing) this.#stream.end();
        else events.writable();
      },
    });
    this.#stream.on("data", (message: ServiceMessage) => this.#receive(message, events));
    // The status event reports the same. Without this listener the error would be thrown.
    this.#stream.on("error", () => {});
    this.#stream.on("status", (end: StatusObject) => {
      this.#client.close();
      this.#ended.resolve();
      events.ended(describeEnd(end));
    });
    this.#onWritten = () => {
      this.#writes--;
      events.writable();
    };
  }

  readonly #onWritten: () => void;

  get isWritable(): boolean {
    return this.#writes < MAX_WRITES;
  }

  get isSending(): boolean {
    return this.#link.isSending;
  }

  get confirmed(): number {
    return this.#link.confirmed;
  }

  send(report: WorkerReport): void {
    if (payloadBytesOf(report) <= PIECE_BYTES) return this.#write(report);
    // Results are written with their credit, so that no job comes before the results of finished ones.
    const { chunks, progress, outcomes, credit, ...urgent } = report;
    if (Object.keys(urgent).length > 0) this.#write(urgent);
    const large = encodeReport(defined({ chunks, progress, outcomes, credit }));
    this.#link.send(requestSerialize(large));
  }

  #write(report: WorkerReport): void {
    this.#writes++;
    this.#stream.write(encodeReport(report), this.#onWritten);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (!this.#link.isSending) this.#stream.end();
    const limit = setTimeout(() => this.#stream.cancel(), GOODBYE_MS);
    await this.#ended.promise;
    clearTimeout(limit);
  }

  #receive(message: ServiceMessage, events: SessionEvents): void {
    let orders: ServiceOrders;
    try {
      const taken = this.#link.receive(message);
      if (taken === undefined) return;
      if (taken.large) {
        orders = decodeOrders(responseDeserialize(taken.large.whole));
        taken.done();
      } else orders = decodeOrders(taken.message);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#stream.call?.cancelWithStatus(status.INVALID_ARGUMENT, error.message);
      return;
    }
    events.orders(orders);
  }
}

function openStream(client: Client, { token, instance }: Opener) {
  const metadata = new Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  metadata.set("worker-instance", instance);
  return client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata);
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
