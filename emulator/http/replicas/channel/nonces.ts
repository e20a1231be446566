/**
 * The nonces that a replica gives to others, each of which is good once and for a while. One that was not used is kept nowhere: it
 * shows by itself that it is of this process, so that a flood of questions takes no memory and drives out nobody.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Timeout of a nonce, ms of this process. A replica that was asked for one is called at once. */
const GOOD_MS = 10_000;

const RANDOM_BYTES = 16;

export class Nonces {
  readonly #key = randomBytes(32);
  readonly #now: () => number;
  /** Used nonces, with the moment at which they expire, the earliest first. */
  readonly #used = new Map<string, number>();

  /** @param now ms by a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  give(): string {
    const open = `${Math.round(this.#now())}.${randomBytes(RANDOM_BYTES).toString("base64url")}`;
    return `${open}.${this.#seal(open)}`;
  }

  /** Whether the nonce is one of these, still good and not used before. From then on it is used. */
  use(nonce: string): boolean {
    const at = nonce.lastIndexOf(".");
    const open = nonce.slice(0, Math.max(0, at));
    const [given, expected] = [nonce.slice(at + 1), this.#seal(open)].map((text) =>
      Buffer.from(text),
    );
    if (given?.length !== expected?.length || !given || !expected) return false;
    if (!timingSafeEqual(given, expected)) return false;
    const now = this.#now();
    this.#forgetBefore(now);
    const endsAt = Number.parseInt(open, 10) + GOOD_MS;
    if (now > endsAt || this.#used.has(nonce)) return false;
    this.#used.set(nonce, now + GOOD_MS);
    return true;
  }

  #forgetBefore(now: number): void {
    for (const [nonce, endsAt] of this.#used) {
      if (endsAt >= now) return;
      this.#used.delete(nonce);
    }
  }

  #seal(open: string): string {
    return createHmac("sha256", this.#key).update(open).digest("base64url");
  }
}
