/** One end of a session over any transport. Splits large messages into pieces; joins received pieces, and confirms them. */
import type { Piece } from "./messages.ts";
import { PieceReader, PieceSender, type PieceSpace } from "./pieces.ts";

/** The fields of a message that is a piece of a large one, or a receipt for pieces. */
interface MessageParts {
  readonly piece?: Piece | undefined;
  readonly piecesTaken?: number | undefined;
}

interface MessageLinkOptions<Space> {
  /** Writes a message that contains only these parts. */
  readonly write: (parts: MessageParts) => void;
  /** Makes the space for a large message of that size. */
  readonly spaceFor: (sizeBytes: number) => Space;
  /** Called when all pieces have been sent. */
  readonly allSent: () => void;
}

/** Maximum large messages received at a time; pieces of a further one are not confirmed until one is stored. */
const MAX_OPEN = 6;

/** A received message: a whole one, or the bytes of a large one. */
type Taken<Received, Space> =
  | { readonly message: Received; readonly large?: undefined }
  | {
      readonly message?: undefined;
      readonly large: Space;
      /** Call it when the message has been processed. */
      readonly done: () => void;
    };

export class MessageLink<Received extends MessageParts, Space extends PieceSpace> {
  readonly #options: MessageLinkOptions<Space>;
  readonly #sender: PieceSender;
  readonly #reader: PieceReader<Space>;
  #taken = 0;
  /** Number of large messages that are being processed. */
  #open = 0;

  constructor(options: MessageLinkOptions<Space>) {
    this.#options = options;
    this.#reader = new PieceReader(options.spaceFor);
    this.#sender = new PieceSender({
      write: (piece) => options.write({ piece }),
      allSent: options.allSent,
      now: () => performance.now(),
    });
  }

  /** Whether a large message is being sent. Messages that must not overtake it wait. */
  get isSending(): boolean {
    return this.#sender.isSending;
  }

  /** Number of pieces that the other end has taken. */
  get confirmed(): number {
    return this.#sender.confirmed;
  }

  /** Sends a large message: its bytes, or all of its parts. @param arrived called when the other end has it */
  send(message: Uint8Array | readonly Uint8Array[], arrived?: () => void): void {
    this.#sender.send(message, arrived);
  }

  /**
   * The message itself, or the large message that it completes; undefined while pieces are missing. @throws WireError for an
   * unexpected piece
   */
  receive(message: Received): Taken<Received, Space> | undefined {
    const { piece, piecesTaken } = message;
    if (piecesTaken !== undefined) this.#sender.taken(piecesTaken);
    if (piece === undefined) return piecesTaken === undefined ? { message } : undefined;
    const large = this.#reader.take(piece);
    if (large === undefined) {
      this.#takenWhen(this.#reader.space?.flushed());
      return undefined;
    }
    this.#taken += 1;
    this.#open += 1;
    const done = () => {
      this.#open -= 1;
      this.#confirm();
    };
    return { large, done };
  }

  /** Confirms a piece when it is stored. A piece that cannot be stored is not confirmed. */
  #takenWhen(flushed: Promise<void> | undefined): void {
    const taken = () => {
      this.#taken += 1;
      this.#confirm();
    };
    if (flushed === undefined) taken();
    else flushed.then(taken, () => undefined);
  }

  #confirm(): void {
    if (this.#open < MAX_OPEN) this.#options.write({ piecesTaken: this.#taken });
  }
}
