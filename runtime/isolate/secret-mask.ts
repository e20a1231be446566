/** Takes the secrets of object storage out of what a handler prints and of the errors it throws. */
import { Buffer } from "node:buffer";
import type { HandedJob } from "../protocol/outcome.ts";
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

  /** For lines of text and for JSON texts. What a handler returns or yields is its own affair. */
  readonly text = (text: string): string => {
    let masked = text;
    for (const forms of this.#forms.values()) {
      for (const form of forms) masked = masked.replaceAll(form, SHOWN);
    }
    return masked;
  };

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
