/** Selects the headers of a message that are passed on over another connection. */
import { CHANNEL_AUTH_HEADER } from "./channel/channel-auth.ts";

/** Headers of a single connection; each side of the service has its own. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
  CHANNEL_AUTH_HEADER,
]);

/** Headers that are always passed on, even if the Connection header names them. */
const NEEDED = new Set(["host", "content-length"]);

/** Names and values in turn, as sent. */
export type RawHeaders = readonly string[];

/** The end-to-end headers as pairs. */
export function endToEndHeaders(
  rawHeaders: RawHeaders,
  connection: string | undefined,
): [string, string][] {
  const named = (connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const left = new Set([...HOP_BY_HOP, ...named.filter((name) => !NEEDED.has(name))]);
  const passed: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (!left.has(name.toLowerCase())) passed.push([name, value]);
  }
  return passed;
}
