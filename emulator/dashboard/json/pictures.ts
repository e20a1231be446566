/** Finds out whether a text of an output is a picture that the page may show. */

export interface Picture {
  /** For an `img`: a `data:` address, or one of this service. */
  readonly source: string;
  readonly mediaType: string;
}

/** How base64 of a file of that type begins. */
const BEGINNINGS = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
] as const;

/** Shorter texts are no pictures. */
const SHORTEST = 60;

const DATA = /^data:(image\/(?:png|jpeg|gif|webp|avif|svg\+xml))[;,]/iu;
const BASE64 = /^[A-Za-z\d+/\r\n]+={0,2}\s*$/u;
const FILE = /\.(png|jpe?g|gif|webp|avif)$/iu;

/** @param origin of the page: pictures from elsewhere are not loaded */
export function pictureIn(text: string, origin: string): Picture | undefined {
  const [, mediaType] = DATA.exec(text) ?? [];
  if (mediaType !== undefined) return { source: text, mediaType: mediaType.toLowerCase() };
  if (text.length < SHORTEST) return undefined;
  const beginning = BEGINNINGS.find(([start]) => text.startsWith(start));
  if (beginning !== undefined && BASE64.test(text)) {
    return {
      source: `data:${beginning[1]};base64,${text.replaceAll(/\s/gu, "")}`,
      mediaType: beginning[1],
    };
  }
  const url = linkIn(text);
  const isOurs = url !== undefined && url.origin === origin && FILE.test(url.pathname);
  return isOurs ? { source: url.href, mediaType: "image/*" } : undefined;
}

/** An address that is safe as a link: it leads to a web page and runs nothing. */
export function linkIn(text: string): URL | undefined {
  if (!/^https?:\/\/\S+$/iu.test(text) || text.length > 4_096) return undefined;
  return URL.parse(text) ?? undefined;
}
