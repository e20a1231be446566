/** One stream of server-sent events of a replica, which sends no more than was taken. */
import { Buffer } from "node:buffer";
import { type EventFrame, EventFrameReader } from "../../core/observe/event-frames.ts";
import { readAnswerHead } from "./answer-head.ts";
import type { Exchange, ExchangeEvents } from "./channel/channel.ts";

const OK = 200;

interface StreamEvents {
  /** It was answered with 200. */
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
  /** Bytes that came and are held. */
  #held = 0;

  constructor(events: StreamEvents) {
    this.#events = events;
  }

  get end(): Promise<"ended" | "broken"> {
    return this.#end.promise;
  }

  read(exchange: Exchange): void {
    this.#exchange = exchange;
    // There is no body.
    exchange.end();
  }

  /** Everything that came is done with. */
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
    // Nothing waits for it: there is no body.
  }

  woken(): void {
    // Only who answers is told so.
  }

  /** What follows the head; undefined as long as it is not complete, and for another answer than 200. */
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
