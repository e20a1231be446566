/**
 * Peers that agree on TLS at the worker port and then stay silent. A worker checks the certificate on one connection and
 * continues on another, unless its token was made for another certificate. Only this log shows a refused certificate.
 */
import type { RefusalLog } from "../net/refusal-log.ts";

/** Time within which a worker that accepts the certificate has spoken, even with seconds of latency. */
const LOOK_MS = 30_000;

const SENTENCE =
  "has seen the certificate of the worker port and said nothing: a worker refuses it if its token was made for another certificate";

export class SilentCallers {
  readonly #log: Pick<RefusalLog, "say">;
  /** Timers by address. */
  readonly #timers = new Map<string, NodeJS.Timeout>();

  constructor(log: Pick<RefusalLog, "say">) {
    this.#log = log;
  }

  /** @param peer undefined if it has gone already */
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
