/** Accepts connections of other replicas at the port for clients, and has their requests answered. */
import type { IncomingMessage, RequestListener } from "node:http";
import type { Duplex } from "node:stream";
import { jsonAnswer, sendWhole } from "../operation/answers/answer.ts";
import { noteForwardedRequest } from "../operation/forwarded-request.ts";
import { type Accept, Channel } from "./channel/channel.ts";
import {
  type Challenge,
  decoded,
  CHANNEL_AUTH_HEADER,
  type ChannelAuth,
  proofOf,
  readChannelAuth,
} from "./channel/channel-auth.ts";
import { Nonces } from "./channel/nonces.ts";
import { type RequestHead, readRequestHead } from "./channel/request-head.ts";
import type { HttpService } from "../operation/service.ts";
import { type Caller, CHANNEL_PATH, CHANNEL_PROTOCOL } from "./channel/reach-replica.ts";
import { takeExchange } from "./channel/taken-exchange.ts";

export class ReplicaListener {
  readonly #service: HttpService;
  readonly #self: Caller;
  readonly #perform: RequestListener;
  readonly #channels = new Set<Channel>();
  readonly #nonces = new Nonces();
  /** Requests that were already checked: a nonce is valid once. */
  readonly #auths = new WeakMap<IncomingMessage, ChannelAuth | "none">();
  #isStopped = false;

  /**
   * @param self this replica, with the key of its signatures
   * @param perform answers requests from other replicas
   */
  constructor(service: HttpService, self: Caller, perform: RequestListener) {
    this.#service = service;
    this.#self = self;
    this.#perform = perform;
  }

  /** Answers replicas that ask for a nonce, and passes all other requests on to `own`. */
  before(own: RequestListener): RequestListener {
    return (request, response) => {
      const question = questionIn(request);
      if (question === undefined || this.#isStopped) return own(request, response);
      const [from = "", callerNonce = ""] = question.split(";").map(decoded);
      const nonce = this.#nonces.give();
      const proof = proofOf(this.#self.key, { from, to: this.#self.id }, callerNonce, nonce);
      sendWhole(response, jsonAnswer({ nonce, proof } satisfies Challenge), true);
      request.resume();
      return undefined;
    };
  }

  /** Whether the request is from a replica that wants to connect; its signature proves it. */
  mayConnect(request: IncomingMessage): boolean {
    return wantsChannel(request) && this.#channelAuthOf(request) !== undefined;
  }

  /** Whether the request for an upgrade was passed on by a replica. An invalid signature counts as none. */
  look(request: IncomingMessage): boolean {
    const auth = this.#channelAuthOf(request);
    if (auth === undefined) return false;
    noteForwardedRequest(request, auth, this.#service.engine);
    return true;
  }

  /** Call this with each `upgrade` of the server. Accepts connections of replicas; returns false for any other. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!wantsChannel(request)) return false;
    const auth = this.#channelAuthOf(request);
    // A request may arrive after the port was closed and all connections were ended.
    if (auth === undefined || this.#isStopped) {
      socket.destroy();
      return true;
    }
    if (head.length > 0) socket.unshift(head);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${CHANNEL_PROTOCOL}\r\n\r\n`,
    );
    const channel = new Channel(socket, this.accept(auth.from));
    this.#channels.add(channel);
    void channel.closed.then(() => this.#channels.delete(channel));
    return true;
  }

  /** Answers requests from the replica with this id. */
  accept(from: string): Accept {
    return (exchange, bytes) => {
      const requestHead = readRequestHead(bytes);
      if (requestHead === undefined) {
        exchange.reset();
        return undefined;
      }
      return takeExchange(exchange, requestHead, (request, response) => {
        const { address, isShare, sessionKeyId, jobId, waitedMs } = requestHead;
        const known = { from, address, isShare, sessionKeyId, jobId, waitedMs };
        noteForwardedRequest(request, known, this.#service.engine);
        this.#catchUpWith(requestHead)
          .then(() => this.#perform(request, response))
          .catch(() => exchange.reset());
      });
    };
  }

  /** Waits up to `graceMs` for running answers, then closes the connections; no new one is accepted. */
  async stop(graceMs: number): Promise<void> {
    const limit = performance.now() + graceMs;
    const isBusy = () => [...this.#channels].some(({ size }) => size > 0);
    while (isBusy() && performance.now() < limit) {
      await new Promise((resolve) => setTimeout(resolve, SWEEP_MS));
    }
    this.#isStopped = true;
    for (const channel of this.#channels) channel.destroy();
  }

  /** Refreshes keys and records to the version that the client has seen, before the request is answered. Never rejects. */
  async #catchUpWith({ recordsVersion = 0 }: RequestHead): Promise<void> {
    const { engine, ownership } = this.#service;
    if (recordsVersion <= engine.steps.recordsVersion) return;
    // A failure is reported by the operation that needs the records.
    await ownership?.refreshRecords().catch(() => undefined);
  }

  #channelAuthOf(request: IncomingMessage): ChannelAuth | undefined {
    const header = request.headers[CHANNEL_AUTH_HEADER];
    if (typeof header !== "string") return undefined;
    const known = this.#auths.get(request) ?? this.#readChannelAuth(request, header);
    this.#auths.set(request, known);
    return known === "none" ? undefined : known;
  }

  #readChannelAuth(
    { method = "", url = "" }: IncomingMessage,
    header: string,
  ): ChannelAuth | "none" {
    const { id: to, key } = this.#self;
    const auth = readChannelAuth(key, header, { to, method, path: url });
    return auth !== undefined && this.#nonces.use(auth.nonce) ? auth : "none";
  }
}

/** Interval at which a stopping service checks whether all requests are answered. */
const SWEEP_MS = 25;

function wantsChannel({ headers }: IncomingMessage): boolean {
  const offered = headers.upgrade?.split(",") ?? [];
  return offered.some((protocol) => protocol.trim() === CHANNEL_PROTOCOL);
}

/** Reads a replica's request for a nonce; undefined for any other request. */
function questionIn({ method, url, headers }: IncomingMessage): string | undefined {
  if (method !== "GET" || url !== CHANNEL_PATH || headers.upgrade !== undefined) return undefined;
  return headers[CHANNEL_AUTH_HEADER]?.toString();
}
