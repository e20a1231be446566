/** The header `traceparent` of W3C Trace Context, by which a caller says which trace its request belongs to. */

/** Version, trace id, parent id, flags. Later versions may say more behind these. */
const TRACEPARENT =
  /^(?!ff)(?<version>[0-9a-f]{2})-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?<more>-.*)?$/u;

/** The header as it is to be handed on; undefined for none, and for one that is invalid and so has to be ignored (W3C). */
export function readTraceparent(header: unknown): string | undefined {
  if (typeof header !== "string") return undefined;
  const { version, more } = TRACEPARENT.exec(header)?.groups ?? {};
  if (version === undefined || (version === "00" && more !== undefined)) return undefined;
  return header.slice(0, TRACEPARENT_LENGTH);
}

const TRACEPARENT_LENGTH = 55;
