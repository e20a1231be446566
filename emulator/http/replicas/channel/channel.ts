/**
 * One connection between two replicas that carries many exchanges at once. Everything written in one turn of the event loop is
 * sent together. Each direction of an exchange has a window, so that a slow reader does not delay others.
 */
import { Buffer } from "node:buffer";
import type { Duplex } from "node:stream";
import { FRAME, type Frame, type FrameKind, frameHead, FrameReader } from "./frames.ts";

/** Maximum size of unread data in one direction of an exchange, bytes. */
const WINDOW_BYTES = 262_144;

/** Maximum size of a frame; larger data is divided, so that other exchanges get their turn. */
const PIECE_BYTES = 65_536;

/** Interval between two beats. */
const BEAT_MS = 500;

/** Maximum number of own beats while nothing is received, 2.5 to 3 s. A silent connection is then cut; a slow one is not. */
const SILENT_BEATS = 5;

/** Callbacks of one end of an exchange. */
export interface ExchangeEvents {
  data(bytes: Buffer): void;
  /** The other end has sent everything. */
  ended(): void;
  /** The window has room again, after `write` returned false. */
  room(): void;
  /** The other end, or the connection, has gone before the end. No further callback follows. */
  broken(): void;
  /** The other end is stopping and wants an early answer. */
  woken(): void;
}

/** Called for each exchange that the other end opens, with its request head. Returns undefined if it gave the exchange up. */
export type Accept = (exchange: Exchange, requestHead: Buffer) => ExchangeEvents | undefined;

export class Channel {
  readonly #socket: Duplex;
  readonly #accept: Accept | undefined;
  readonly #reader = new FrameReader();
  readonly #exchanges = new Map<number, Exchange>();
  #lastId = 0;
  #unsent: Uint8Array[] = [];
  #flush: NodeJS.Immediate | undefined;
  /** Number of beats since something was received. A count, not a time: a process that stood still may have unread data. */
  #silentBeats = 0;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;

  /** @param accept absent: the other end opens no exchanges */
  constructor(socket: Duplex, accept?: Accept) {
    this.#socket = socket;
    this.#accept = accept;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    const beating = setInterval(() => this.#beat(), BEAT_MS).unref();
    socket.once("end", () => socket.destroy());
    socket.once("close", () => {
      clearInterval(beating);
      clearImmediate(this.#flush);
      resolve();
      for (const exchange of [...this.#exchanges.values()]) exchange.lose();
    });
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed;
  }

  get size(): number {
    return this.#exchanges.size;
  }

  open(requestHead: string, events: ExchangeEvents): Exchange {
    this.#lastId += 1;
    const exchange = this.#add(this.#lastId);
    exchange.events = events;
    this.send(FRAME.open, exchange.id, Buffer.from(requestHead));
    return exchange;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  send(kind: FrameKind, id: number, payload?: Uint8Array): void {
    if (this.#socket.destroyed) return;
    this.#unsent.push(frameHead(kind, id, payload?.length ?? 0));
    if (payload !== undefined) this.#unsent.push(payload);
    this.#flush ??= setImmediate(() => {
      this.#flush = undefined;
      const pieces = this.#unsent;
      this.#unsent = [];
      this.#socket.write(Buffer.concat(pieces));
    });
  }

  forget(id: number): void {
    this.#exchanges.delete(id);
  }

  #add(id: number): Exchange {
    const exchange = new Exchange(this, id);
    this.#exchanges.set(id, exchange);
    return exchange;
  }

  #beat(): void {
    this.#silentBeats += 1;
    if (this.#silentBeats > SILENT_BEATS) this.#socket.destroy();
    else this.send(FRAME.beat, 0);
  }

  #receive(chunk: Buffer): void {
    this.#silentBeats = 0;
    try {
      for (const frame of this.#reader.push(chunk)) {
        if (this.isOpen) this.#take(frame);
      }
    } catch {
      // The other end speaks another protocol, or is out of step.
      this.#socket.destroy();
    }
  }

  #take(frame: Frame): void {
    const { kind, id, payload } = frame;
    if (kind === FRAME.open && this.#accept !== undefined) {
      if (this.#exchanges.has(id)) throw new RangeError(`exchange ${id} is opened twice`);
      const exchange = this.#add(id);
      exchange.events = this.#accept(exchange, payload);
      return;
    }
    // The exchange may have ended before the other end learned of it.
    this.#exchanges.get(id)?.take(kind, payload);
  }
}

/** One end of one exchange. */
export class Exchange {
  readonly id: number;
  events: ExchangeEvents | undefined;
  readonly #channel: Channel;
  #room = WINDOW_BYTES;
  /** Bytes that were read since the last `room` frame. */
  #untold = 0;
  #hasEnded = false;
  #hasHeardEnd = false;
  #isOver = false;

  constructor(channel: Channel, id: number) {
    this.#channel = channel;
    this.id = id;
  }

  /** Returns false if the next write has to wait for `room`. */
  write(bytes: Uint8Array): boolean {
    if (this.#isOver || this.#hasEnded) return true;
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.#channel.send(FRAME.data, this.id, bytes.subarray(at, at + PIECE_BYTES));
    }
    this.#room -= bytes.length;
    return this.#room > 0;
  }

  /** Ends this direction. */
  end(): void {
    if (this.#isOver || this.#hasEnded) return;
    this.#hasEnded = true;
    this.#channel.send(FRAME.end, this.id);
    if (this.#hasHeardEnd) this.#over();
  }

  /** Gives up the exchange, unless it has ended. Calls no further function of `events`. */
  reset(): void {
    if (this.#isOver) return;
    this.#channel.send(FRAME.reset, this.id);
    this.#over();
  }

  wake(): void {
    if (!this.#isOver) this.#channel.send(FRAME.wake, this.id);
  }

  /** Tells that bytes from `data` were read. */
  used(bytes: number): void {
    this.#untold += bytes;
    if (this.#isOver || this.#untold < WINDOW_BYTES / 2) return;
    const told = Buffer.allocUnsafe(4);
    told.writeUInt32BE(this.#untold);
    this.#untold = 0;
    this.#channel.send(FRAME.room, this.id, told);
  }

  take(kind: number, payload: Buffer): void {
    const isBody = kind === FRAME.data || kind === FRAME.end;
    if (isBody && this.#hasHeardEnd)
      throw new RangeError(`exchange ${this.id} goes on after its end`);
    switch (kind) {
      case FRAME.data:
        return this.events?.data(payload);
      case FRAME.end:
        this.#hasHeardEnd = true;
        this.events?.ended();
        if (this.#hasEnded) this.#over();
        return undefined;
      case FRAME.reset:
        return this.lose();
      case FRAME.room: {
        const hadNone = this.#room <= 0;
        this.#room += payload.readUInt32BE();
        return hadNone && this.#room > 0 ? this.events?.room() : undefined;
      }
      case FRAME.wake:
        return this.events?.woken();
      default:
        return this.reset();
    }
  }

  lose(): void {
    if (this.#isOver) return;
    this.#over();
    this.events?.broken();
  }

  #over(): void {
    this.#isOver = true;
    this.#channel.forget(this.id);
  }
}
