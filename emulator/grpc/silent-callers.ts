/**
 * Who agrees on TLS at the worker port and then says nothing. A worker looks at the certificate on a connection of its own and goes
 * on with another one, unless its token was made for another certificate: nobody else could tell of that.
 */
import type { RefusalLog } from "../net/refusal-log.ts";

/** A worker that trusts the certificate has spoken by then, over a line with seconds of latency too. */
const LOOK_MS = 30_000;

const SENTENCE =
  "has seen the certificate of the worker port and said nothing: a worker whose token was made for another one refuses it";

export class SilentCallers {
  readonly #log: Pick<RefusalLog, "say">;
  /** By address. */
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(log: Pick<RefusalLog, "say">) {
    this.#log = log;
  }

  /** @param peer undefined: it has gone already */
  connected(peer: string | undefined): void {
    if (peer === undefined || this.#timers.has(peer)) return;
    const say = () => {
      this.#timers.delete(peer);
      this.#log.say("silent", { peer }, `${peer} ${SENTENCE}`);
    };
    this.#timers.set(peer, setTimeout(say, LOOK_MS).unref());
  }

  heard(peer: string): void {
    clearTimeout(this.#timers.get(peer));
    this.#timers.delete(peer);
  }

  stop(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
