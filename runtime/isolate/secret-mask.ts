/** Takes the secrets of object storage out of what a handler prints and of the errors it throws. */
import { Buffer } from "node:buffer";
import type { Failure } from "../protocol/failure.ts";
import type { HandedJob, Outcome } from "../protocol/outcome.ts";
import { LIVE_STORAGE_ENV, STORAGE_ENV } from "../protocol/storage-env.ts";

const SHOWN = "[secret]";
/** Anything shorter is a part of common words. */
const MIN_LENGTH = 8;
/** Of jobs; what a job of long ago prints late is of no concern. */
const MAX_SECRETS = 100;

type Environment = Readonly<Record<string, string | undefined>>;

/** Knows the secrets of the environment, and of jobs as they come. */
export class SecretMask {
  readonly #forms = new Map<string, readonly string[]>();

  constructor(env: Environment) {
    for (const { secretAccessKey } of [STORAGE_ENV, LIVE_STORAGE_ENV])
      this.#add(env[secretAccessKey]);
  }

  learn({ s3Config }: HandedJob): void {
    if (s3Config !== undefined) this.#add(accessSecretOf(s3Config));
  }

  readonly text = (text: string): string => {
    let masked = text;
    for (const forms of this.#forms.values()) {
      for (const form of forms) masked = masked.replaceAll(form, SHOWN);
    }
    return masked;
  };

  failure(failure: Failure): Failure {
    const { message, stack } = failure;
    return {
      ...failure,
      message: this.text(message),
      ...(stack === undefined ? {} : { stack: this.text(stack) }),
    };
  }

  /** Its output is the handler's own affair. */
  outcome(outcome: Outcome): Outcome {
    return "failure" in outcome ? { ...outcome, failure: this.failure(outcome.failure) } : outcome;
  }

  #add(secret: string | undefined): void {
    if (secret === undefined || secret.length < MIN_LENGTH || this.#forms.has(secret)) return;
    // As it is, in JSON and in a URL.
    const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
    this.#forms.set(secret, [...new Set(forms)]);
    const [oldest] = this.#forms.keys();
    if (this.#forms.size > MAX_SECRETS && oldest !== undefined) this.#forms.delete(oldest);
  }
}

/** A text that is no JSON is the handler process's to complain about. */
function accessSecretOf(s3Config: Uint8Array): string | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(s3Config).toString());
    if (typeof parsed !== "object" || parsed === null || !("accessSecret" in parsed))
      return undefined;
    return typeof parsed.accessSecret === "string" ? parsed.accessSecret : undefined;
  } catch {
    return undefined;
  }
}
