/** Holds a secret so that no log, error or JSON text shows it by accident. */
import { inspect } from "node:util";
import { MASKED_MIN_LENGTH, SHOWN_SECRET } from "../protocol/environment/storage-env.ts";

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
    return this.#value.length < MASKED_MIN_LENGTH
      ? text
      : text.replaceAll(this.#value, SHOWN_SECRET);
  }

  toString(): string {
    return SHOWN_SECRET;
  }

  toJSON(): string {
    return SHOWN_SECRET;
  }

  [inspect.custom](): string {
    return SHOWN_SECRET;
  }
}
