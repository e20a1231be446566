/** A stream of server-sent events of a replica, which sends no more than was read. */
import { Buffer } from "node:buffer";
import { type EventFrame, EventFrameReader } from "../../core/observe/event-frames.ts";
import { readAnswerHead } from "./answer-head.ts";
import type { Exchange, ExchangeEvents } from "./channel/channel.ts";

const OK = 200;

interface StreamEvents {
  /** Called after an answer with 200. */
  readonly begun: () => void;
  readonly told: (frames: readonly EventFrame[]) => void;
}

export class ReplicaEvents implements ExchangeEvents {
  readonly #events: StreamEvents;
  readonly #end = Promise.withResolvers<"ended" | "broken">();
  readonly #decoder = new TextDecoder();
  readonly #frames = new EventFrameReader();
  #exchange: Exchange | undefined;
  #head: Buffer | undefined;
  #hasBegun = false;
  /** Bytes that were received and not read. */
  #held = 0;

  constructor(events: StreamEvents) {
    this.#events = events;
  }

  get end(): Promise<"ended" | "broken"> {
    return this.#end.promise;
  }

  read(exchange: Exchange): void {
    this.#exchange = exchange;
    // The request has no body.
    exchange.end();
  }

  /** Marks everything received as read. */
  used(): void {
    this.#exchange?.used(this.#held);
    this.#held = 0;
  }

  stop(): void {
    this.#exchange?.reset();
    this.#end.resolve("ended");
  }

  data(bytes: Buffer): void {
    this.#held += bytes.length;
    const body = this.#hasBegun ? bytes : this.#begin(bytes);
    if (body === undefined) return;
    this.#events.told(this.#frames.push(this.#decoder.decode(body, { stream: true })));
  }

  ended(): void {
    this.#end.resolve("ended");
  }

  broken(): void {
    this.#end.resolve("broken");
  }

  room(): void {
    // Never called: the request has no body.
  }

  woken(): void {
    // Never called: only the answering replica is woken.
  }

  /** The bytes after the head; undefined while the head is incomplete, and for an answer other than 200. */
  #begin(bytes: Buffer): Buffer | undefined {
    const head = this.#head === undefined ? bytes : Buffer.concat([this.#head, bytes]);
    const read = readAnswerHead(head);
    this.#head = head;
    if (read === undefined) return undefined;
    if (read.status !== OK) {
      this.stop();
      return undefined;
    }
    this.#head = undefined;
    this.#hasBegun = true;
    this.#events.begun();
    return head.subarray(read.end);
  }
}
