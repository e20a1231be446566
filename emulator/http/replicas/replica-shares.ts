/** Asks the other replicas for what only they know: their shares of what one replica alone would answer. */
import { Buffer } from "node:buffer";
import type { Clock } from "../../core/time/clock.ts";
import { readAnswerHead } from "./answer-head.ts";
import type { Channel, Exchange, ExchangeEvents } from "./channel/channel.ts";
import type { RequestHead } from "./channel/request-head.ts";

/** A replica that has not answered by then has no share, ms. */
const PATIENCE_MS = 2_000;

const OK = 200;

/** The JSON of a replica's answer; undefined if it is another one than 200, or comes too late. */
export async function askShare(
  channel: Channel,
  requestHead: RequestHead,
  realClock: Clock,
): Promise<unknown> {
  const answer = new WholeAnswer();
  const exchange = channel.open(JSON.stringify(requestHead), answer);
  exchange.end();
  const disarm = realClock.wakeAt(realClock.now() + PATIENCE_MS, () => {
    exchange.reset();
    answer.broken();
  });
  try {
    return await answer.read(exchange);
  } finally {
    disarm();
  }
}

class WholeAnswer implements ExchangeEvents {
  readonly #pieces: Buffer[] = [];
  readonly #whole = Promise.withResolvers<Buffer | undefined>();
  #exchange: Exchange | undefined;

  async read(exchange: Exchange): Promise<unknown> {
    this.#exchange = exchange;
    const bytes = await this.#whole.promise;
    const head = bytes && readAnswerHead(bytes);
    if (bytes === undefined || head?.status !== OK) return undefined;
    return JSON.parse(bytes.toString("utf8", head.end)) as unknown;
  }

  data(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#exchange?.used(bytes.length);
  }

  ended(): void {
    this.#whole.resolve(Buffer.concat(this.#pieces));
  }

  broken(): void {
    this.#whole.resolve(undefined);
  }

  room(): void {
    // Nothing waits for it: there is no body.
  }

  woken(): void {
    // Only who answers is told so.
  }
}
