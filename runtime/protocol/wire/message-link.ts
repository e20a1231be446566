/** One end of a session over any transport: takes large messages apart into pieces, puts those of the other end together, and confirms them. */
import type { Buffer } from "node:buffer";
import type { Piece } from "../generated/worker.ts";
import { PieceReader, PieceSender } from "./pieces.ts";

/** The fields of a message that is a piece of a large one, or a receipt for pieces. */
interface MessageParts {
  readonly piece: Piece | undefined;
  readonly piecesTaken?: number | undefined;
}

interface MessageLinkOptions<Received> {
  /** Writes a message that has nothing but these. */
  readonly write: (parts: MessageParts) => void;
  readonly decode: (bytes: Buffer) => Received;
  /** Everything that was sent in pieces has left. */
  readonly allSent: () => void;
}

/** Large messages that are dealt with at a time: while some are stored, the next may come. Pieces of a further one are not confirmed. */
const MAX_OPEN = 6;

/** A message that came. */
interface Taken<Received> {
  readonly message: Received;
  /** To be called when it was dealt with. */
  readonly done: () => void;
}

export class MessageLink<Received extends MessageParts> {
  readonly #options: MessageLinkOptions<Received>;
  readonly #sender: PieceSender;
  readonly #reader = new PieceReader();
  #taken = 0;
  /** Large messages that are being dealt with. */
  #open = 0;

  constructor(options: MessageLinkOptions<Received>) {
    this.#options = options;
    this.#sender = new PieceSender({
      write: (piece) => options.write({ piece }),
      allSent: options.allSent,
      now: () => performance.now(),
    });
  }

  /** A large message is being sent: what must not overtake it has to wait. */
  get isSending(): boolean {
    return this.#sender.isSending;
  }

  /** Number of pieces that the other end has taken. */
  get confirmed(): number {
    return this.#sender.confirmed;
  }

  /** Sends a large message. @param arrived called when the other end has it */
  send(bytes: Uint8Array, arrived?: () => void): void {
    this.#sender.send(bytes, arrived);
  }

  /** The message itself, or the large message that it completes; undefined while pieces are missing. @throws WireError for a piece that does not fit */
  receive(message: Received): Taken<Received> | undefined {
    const { piece, piecesTaken } = message;
    if (piecesTaken !== undefined) this.#sender.taken(piecesTaken);
    if (piece === undefined)
      return piecesTaken === undefined ? { message, done: () => undefined } : undefined;
    this.#taken += 1;
    const whole = this.#reader.take(piece);
    if (whole === undefined) {
      this.#confirm();
      return undefined;
    }
    const completed = this.#options.decode(whole);
    this.#open += 1;
    const done = () => {
      this.#open -= 1;
      this.#confirm();
    };
    return { message: completed, done };
  }

  #confirm(): void {
    if (this.#open < MAX_OPEN) this.#options.write({ piece: undefined, piecesTaken: this.#taken });
  }
}
