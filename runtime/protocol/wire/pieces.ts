/**
 * Sends a large message in pieces, so that small messages pass between them, and joins it at the other end. The receiver
 * confirms each piece, so the sender knows the bytes in buffers on the way, and that the receiver is alive.
 */
import { Buffer } from "node:buffer";
import type { Piece } from "./messages.ts";
import { WireError } from "./wire-error.ts";

/** Maximum bytes of a message: more than one outcome with the largest output needs. */
export const MESSAGE_MAX_BYTES = 32_000_000;

/** Maximum payload of a message that is sent whole; also the size of a piece over a slow line. */
export const PIECE_BYTES = 65_536;

/** Pieces in a full window: larger pieces cost less, and a window of several lets urgent messages between them. */
const PIECES_PER_WINDOW = 8;

/** Minimum and maximum of the unconfirmed bytes. The minimum keeps a long line busy; HTTP/2 allows the maximum. */
const WINDOW_MIN_BYTES = 2 * PIECE_BYTES;
const WINDOW_MAX_BYTES = 4_000_000;

/** Maximum time that pieces, and urgent messages behind them, wait on the way. */
const QUEUE_MS = 1_000;

interface SentPiece {
  readonly at: number;
  readonly bytes: number;
  /** The last piece of its message. */
  readonly arrived: (() => void) | undefined;
}

interface Message {
  /** Parts, or rests of parts, that were not sent. */
  readonly parts: Uint8Array[];
  /** Total bytes of the parts. */
  left: number;
  readonly arrived: (() => void) | undefined;
}

export interface PieceSenderOptions {
  readonly write: (piece: Piece) => void;
  /** All pieces of all messages were written. */
  readonly allSent: () => void;
  /** Monotonic, ms. */
  readonly now: () => number;
}

export class PieceSender {
  readonly #options: PieceSenderOptions;
  readonly #messages: Message[] = [];
  /** Unconfirmed pieces, oldest first. */
  readonly #onTheWay: SentPiece[] = [];
  #bytesOnTheWay = 0;
  #window = WINDOW_MIN_BYTES;
  #taken = 0;
  /** Shortest time from a piece to its receipt: the line's own delay. */
  #fastestMs = Number.POSITIVE_INFINITY;

  constructor(options: PieceSenderOptions) {
    this.#options = options;
  }

  /** True while pieces are waiting to be sent. */
  get isSending(): boolean {
    return this.#messages.length > 0;
  }

  /** Number of pieces that the other side has taken. */
  get confirmed(): number {
    return this.#taken;
  }

  /** @param message its bytes, or all of its parts @param arrived called when the other side has confirmed the last piece */
  send(message: Uint8Array | readonly Uint8Array[], arrived?: () => void): void {
    const parts = message instanceof Uint8Array ? [message] : [...message];
    const left = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.#messages.push({ parts, left, arrived });
    this.#advance();
  }

  /** @param total number of pieces that the other side has taken in this session @throws WireError for pieces that were not sent */
  taken(total: number): void {
    const count = total - this.#taken;
    if (count < 0 || count > this.#onTheWay.length)
      throw new WireError("pieces_taken", `is ${total}, which is not what was sent`);
    this.#taken = total;
    for (const piece of this.#onTheWay.splice(0, count)) {
      this.#bytesOnTheWay -= piece.bytes;
      this.#adapt(piece);
      piece.arrived?.();
    }
    if (this.isSending) this.#advance();
  }

  /** The window grows while receipts come as early as the line allows, and shrinks when pieces wait for each other. */
  #adapt({ at, bytes }: SentPiece): void {
    const tookMs = this.#options.now() - at;
    this.#fastestMs = Math.min(this.#fastestMs, tookMs);
    const isLate = tookMs - this.#fastestMs > QUEUE_MS;
    const window = this.#window + (isLate ? -bytes / 2 : bytes);
    this.#window = Math.min(Math.max(window, WINDOW_MIN_BYTES), WINDOW_MAX_BYTES);
  }

  #advance(): void {
    for (;;) {
      const [message] = this.#messages;
      if (message === undefined) return this.#options.allSent();
      const size = Math.max(PIECE_BYTES, Math.floor(this.#window / PIECES_PER_WINDOW));
      if (this.#bytesOnTheWay + size > this.#window) return;
      const { arrived, parts } = message;
      const [part = new Uint8Array()] = parts;
      const data = part.subarray(0, size);
      const rest = part.subarray(size);
      parts.splice(0, 1, ...(rest.byteLength > 0 ? [rest] : []));
      message.left -= data.byteLength;
      const { left } = message;
      this.#bytesOnTheWay += data.byteLength;
      this.#onTheWay.push({
        at: this.#options.now(),
        bytes: data.byteLength,
        arrived: left === 0 ? arrived : undefined,
      });
      if (left === 0) this.#messages.shift();
      this.#options.write({ left, data });
    }
  }
}

/** The space of a large message's bytes while it arrives. */
export interface PieceSpace {
  add(data: Uint8Array): void;
  /** Resolves when received data is within the memory limit; undefined if it already is. */
  flushed(): Promise<void> | undefined;
}

export class PiecesInMemory implements PieceSpace {
  readonly whole: Buffer;
  #at = 0;

  constructor(sizeBytes: number) {
    this.whole = Buffer.allocUnsafeSlow(sizeBytes);
  }

  add(data: Uint8Array): void {
    this.whole.set(data, this.#at);
    this.#at += data.byteLength;
  }

  flushed(): undefined {}
}

export class PieceReader<Space extends PieceSpace> {
  readonly #spaceFor: (sizeBytes: number) => Space;
  #space: Space | undefined;
  /** Missing bytes of the message. */
  #left = 0;

  constructor(spaceFor: (sizeBytes: number) => Space) {
    this.#spaceFor = spaceFor;
  }

  /** The arriving message; undefined between two messages. */
  get space(): Space | undefined {
    return this.#space;
  }

  /** The whole message with its last piece. @throws WireError for a piece that does not follow, or a message that is too large */
  take({ left = 0, data = new Uint8Array() }: Piece): Space | undefined {
    if (data.byteLength === 0) throw new WireError("Piece.data", "is missing");
    const total = data.byteLength + left;
    if (total > MESSAGE_MAX_BYTES) throw new WireError("Piece.left", "makes the message too large");
    if (this.#space !== undefined && total !== this.#left)
      throw new WireError("Piece.left", "does not follow the previous piece");
    this.#space ??= this.#spaceFor(total);
    const space = this.#space;
    space.add(data);
    this.#left = left;
    if (left > 0) return undefined;
    this.#space = undefined;
    return space;
  }
}
