/** Reads where an answer redirects to. */
import { Buffer, isUtf8 } from "node:buffer";

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** @param location the header, whose bytes come as Latin-1: many servers send UTF-8 */
export function redirectOf(status: number, location: unknown, at: URL): URL | undefined {
  if (!REDIRECTS.has(status) || typeof location !== "string") return undefined;
  const bytes = Buffer.from(location, "latin1");
  return URL.parse(isUtf8(bytes) ? bytes.toString() : location, at.href) ?? undefined;
}
