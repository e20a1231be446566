/** Where other replicas come in: takes their connections at the port of the clients, and has their requests answered. */
import type { IncomingMessage, RequestListener } from "node:http";
import type { Duplex } from "node:stream";
import { noteArrival } from "./arrival.ts";
import { type Accept, Channel } from "./channel/channel.ts";
import { MARK_HEADER, type Marked, readMark } from "./channel/mark.ts";
import { type Opening, readOpening } from "./channel/opening.ts";
import type { HttpService } from "../service.ts";
import { CHANNEL_PROTOCOL } from "./channel/reach-replica.ts";
import { takeExchange } from "./channel/taken-exchange.ts";

export class ReplicaDoor {
  readonly #service: HttpService;
  readonly #key: Uint8Array;
  readonly #perform: RequestListener;
  readonly #channels = new Set<Channel>();
  #isStopped = false;

  /** @param key of the marks @param perform answers what others pass on */
  constructor(service: HttpService, key: Uint8Array, perform: RequestListener) {
    this.#service = service;
    this.#key = key;
    this.#perform = perform;
  }

  /** Whether another replica wants to be connected, as its mark proves. */
  mayConnect(request: IncomingMessage): boolean {
    return wantsChannel(request) && this.#markOf(request) !== undefined;
  }

  /** Whether another replica passes on a request for an upgrade. A mark that is not good says nothing. */
  look(request: IncomingMessage): boolean {
    const mark = this.#markOf(request);
    if (mark === undefined) return false;
    noteArrival(request, mark, this.#service.engine);
    return true;
  }

  /** For each `upgrade` of the server: takes those of replicas; false for any other. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!wantsChannel(request)) return false;
    const mark = this.#markOf(request);
    // A request that was on its way when the port was closed may come after everybody was hung up on.
    if (mark === undefined || this.#isStopped) {
      socket.destroy();
      return true;
    }
    if (head.length > 0) socket.unshift(head);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${CHANNEL_PROTOCOL}\r\n\r\n`,
    );
    const channel = new Channel(socket, this.accept(mark.from));
    this.#channels.add(channel);
    void channel.closed.then(() => this.#channels.delete(channel));
    return true;
  }

  /** Answers what the replica of that id passes on. */
  accept(from: string): Accept {
    return (exchange, bytes) => {
      const opening = readOpening(bytes);
      if (opening === undefined) {
        exchange.reset();
        return undefined;
      }
      return takeExchange(exchange, opening, (request, response) => {
        const { address, isShare, sessionKeyId, jobId, waitedMs } = opening;
        const known = { from, address, isShare, sessionKeyId, jobId, waitedMs };
        noteArrival(request, known, this.#service.engine);
        void this.#catchUpWith(opening).then(() => this.#perform(request, response));
      });
    };
  }

  /** Waits until what was taken is answered, at most `graceMs`, and hangs up; from then on nobody is connected. */
  async stop(graceMs: number): Promise<void> {
    const limit = performance.now() + graceMs;
    const isBusy = () => [...this.#channels].some(({ size }) => size > 0);
    while (isBusy() && performance.now() < limit) {
      await new Promise((resolve) => setTimeout(resolve, SWEEP_MS));
    }
    this.#isStopped = true;
    for (const channel of this.#channels) channel.destroy();
  }

  /** Keys and records that its client has seen are known here, too, before the request is answered. Never rejects. */
  async #catchUpWith({ recordsVersion = 0 }: Opening): Promise<void> {
    const { engine, ownership } = this.#service;
    if (recordsVersion <= engine.steps.recordsVersion) return;
    // What cannot be asked for now is refused by what needs it.
    await ownership?.refreshRecords().catch(() => undefined);
  }

  #markOf({ method = "", url = "", headers }: IncomingMessage): Marked | undefined {
    const header = headers[MARK_HEADER];
    if (typeof header !== "string") return undefined;
    return readMark(this.#key, header, { method, path: url }, Date.now());
  }
}

/** How often a stopping service looks whether all is answered. */
const SWEEP_MS = 25;

function wantsChannel({ headers }: IncomingMessage): boolean {
  const offered = headers.upgrade?.split(",") ?? [];
  return offered.some((protocol) => protocol.trim() === CHANNEL_PROTOCOL);
}
