/** Holds a secret so that no log, error or JSON text shows it by accident. */
import { inspect } from "node:util";

export const SHOWN = "[secret]";

/** Minimum length of a secret that is masked in texts. Shorter ones may be parts of common words. */
export const MASKED_MIN_LENGTH = 8;

export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** The secret itself, for signing. */
  reveal(): string {
    return this.#value;
  }

  /** The text with this secret masked. */
  maskIn(text: string): string {
    return this.#value.length < MASKED_MIN_LENGTH ? text : text.replaceAll(this.#value, SHOWN);
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [inspect.custom](): string {
    return SHOWN;
  }
}
