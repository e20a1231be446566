/** The origins from which pages in a browser may call the service. Pure. */

/** Form of an allowed origin, for messages. */
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

  /** Whether the origin is allowed. `*` allows every origin, `null` too. */
  isAllowed(origin: string): boolean {
    return this.#origins.has(ANY) || this.#origins.has(normal(origin));
  }

  /** Whether the browser got the page from the service itself. A proxy that ends TLS has to keep the Host header. */
  isOwn(origin: string, authority: string | undefined): boolean {
    if (authority === undefined || !ORIGIN.test(origin) || !URL.canParse(origin)) return false;
    const { protocol, host } = new URL(origin);
    const service = `${protocol}//${authority}`;
    return WEB.test(protocol) && URL.canParse(service) && new URL(service).host === host;
  }
}

export function isOriginPattern(text: string): boolean {
  return text === ANY || (ORIGIN.test(text) && URL.canParse(text));
}

/** The origin as browsers write it: lower case, without the scheme's default port. */
function normal(origin: string): string {
  if (!ORIGIN.test(origin) || !URL.canParse(origin)) return origin;
  const { protocol, host } = new URL(origin);
  return `${protocol}//${host}`;
}
