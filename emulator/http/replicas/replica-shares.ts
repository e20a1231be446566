/** Asks other replicas for their share of an answer. */
import { Buffer } from "node:buffer";
import type { Clock } from "../../core/time/clock.ts";
import { readAnswerHead } from "./answer-head.ts";
import type { Channel, Exchange, ExchangeEvents } from "./channel/channel.ts";
import type { RequestHead } from "./channel/request-head.ts";

/** Timeout of a replica's share, ms. */
const PATIENCE_MS = 2_000;

const OK = 200;

/** The JSON of a replica's answer; undefined for a status other than 200, and after the timeout. */
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
    // Never called: the request has no body.
  }

  woken(): void {
    // Never called: only the answering replica is woken.
  }
}
