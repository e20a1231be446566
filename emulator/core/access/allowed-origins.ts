/** The origins from which pages in a browser may call the service. Pure. */

/** What an allowed origin has to be, for messages. */
export const ORIGIN_PATTERN_RULE =
  "be an origin like https://app.example.com or http://localhost:3000, without a path, or * for any";

const ANY = "*";
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\,*]+$/iu;
const WEB = /^https?:$/u;

export class AllowedOrigins {
  readonly #origins: ReadonlySet<string>;

  /** @param allowed as {@link isOriginPattern} takes them */
  constructor(allowed: readonly string[]) {
    this.#origins = new Set(allowed.map(normal));
  }

  /** Whether it was allowed; true for any, `null` too, where `*` was. */
  isAllowed(origin: string): boolean {
    return this.#origins.has(ANY) || this.#origins.has(normal(origin));
  }

  /** Whether such a page was served by the service itself, as far as its browser knows. Who ends TLS before it keeps the name. */
  isOwn(origin: string, authority: string | undefined): boolean {
    if (authority === undefined || !ORIGIN.test(origin) || !URL.canParse(origin)) return false;
    const { protocol, host } = new URL(origin);
    const service = `${protocol}//${authority}`;
    return WEB.test(protocol) && URL.canParse(service) && new URL(service).host === host;
  }
}

/** Whether it can be allowed. */
export function isOriginPattern(text: string): boolean {
  return text === ANY || (ORIGIN.test(text) && URL.canParse(text));
}

/** As browsers write it: small letters, no port that the scheme has anyway. */
function normal(origin: string): string {
  if (!ORIGIN.test(origin) || !URL.canParse(origin)) return origin;
  const { protocol, host } = new URL(origin);
  return `${protocol}//${host}`;
}
