/**
 * Nonces of a replica, each valid once and for a limited time. An unused nonce is not stored, because its text proves that this
 * process made it. A flood of requests therefore takes no memory and displaces no nonce.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Timeout of a nonce, ms of this process. The call usually follows at once. */
const GOOD_MS = 10_000;

const RANDOM_BYTES = 16;

export class Nonces {
  readonly #key = randomBytes(32);
  readonly #now: () => number;
  /** Used nonces with their expiry, earliest first. */
  readonly #used = new Map<string, number>();

  /** @param now monotonic clock, ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  give(): string {
    const open = `${Math.round(this.#now())}.${randomBytes(RANDOM_BYTES).toString("base64url")}`;
    return `${open}.${this.#seal(open)}`;
  }

  /** Uses a nonce up. Returns whether it was made here, has not expired and was not used before. */
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
