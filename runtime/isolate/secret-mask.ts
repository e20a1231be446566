/** Removes the secrets of object storage from a handler's output and errors. */
import { Buffer } from "node:buffer";
import type { HandlerLine } from "../pipe/tagged-lines.ts";
import {
  LIVE_STORAGE_ENV,
  MASKED_MIN_LENGTH,
  SHOWN_SECRET,
  STORAGE_ENV,
} from "../protocol/environment/storage-env.ts";
import type { Environment } from "../protocol/environment/worker-env.ts";

/** Maximum number of remembered secrets of jobs. The oldest are dropped. */
const MAX_SECRETS = 100;

/** The texts of an error. */
interface Words {
  readonly message: string;
  readonly stack?: string;
}

/**
 * Masks the secrets of the environment, and of jobs as they arrive. A secret may be any text. The parts of a line that name its
 * job or the kind of a report are therefore never changed.
 */
export class SecretMask {
  readonly #forms = new Map<string, readonly string[]>();

  constructor(env: Environment) {
    this.add(env);
  }

  /** Adds the secrets of variables. */
  add(env: Environment): void {
    const names = [STORAGE_ENV.secretAccessKey, LIVE_STORAGE_ENV.secretAccessKey];
    for (const name of names) this.#addText(env[name]);
  }

  /** Takes in the secret of a job's `s3Config`. */
  learn(s3Config: Uint8Array): void {
    this.#addText(accessSecretOf(s3Config));
  }

  line(line: HandlerLine): HandlerLine {
    if (this.#forms.size === 0) return line;
    const { text, fields } = line;
    return {
      ...line,
      text: this.#masked(text),
      ...(fields === undefined ? {} : { fields: this.#maskedFields(fields) }),
    };
  }

  words<T extends Words>(words: T): T {
    if (this.#forms.size === 0) return words;
    const { message, stack } = words;
    return {
      ...words,
      message: this.#masked(message),
      ...(stack === undefined ? {} : { stack: this.#masked(stack) }),
    };
  }

  #masked(text: string): string {
    let masked = text;
    for (const forms of this.#forms.values()) {
      for (const form of forms) masked = masked.replaceAll(form, SHOWN_SECRET);
    }
    return masked;
  }

  #maskedFields(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    // The fields came as JSON, so stringify loses nothing.
    const json = JSON.stringify(fields, (_, value: unknown) =>
      typeof value === "string" ? this.#masked(value) : value,
    );
    return JSON.parse(json) as Readonly<Record<string, unknown>>;
  }

  #addText(secret: string | undefined): void {
    if (secret === undefined || secret.length < MASKED_MIN_LENGTH || this.#forms.has(secret))
      return;
    const inJson = JSON.stringify(secret).slice(1, -1);
    const inUrl = encodeURIComponent(secret.toWellFormed());
    this.#forms.set(secret, [...new Set([secret, inJson, inUrl])]);
    const [oldest] = this.#forms.keys();
    if (this.#forms.size > MAX_SECRETS && oldest !== undefined) this.#forms.delete(oldest);
  }
}

/** The secret in the text. Undefined if the text is not JSON, which the handler process reports. */
function accessSecretOf(s3Config: Uint8Array): string | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(s3Config).toString());
  } catch {
    return undefined;
  }
  if (typeof parsed !== "object" || parsed === null || !("accessSecret" in parsed)) {
    return undefined;
  }
  return typeof parsed.accessSecret === "string" ? parsed.accessSecret : undefined;
}
