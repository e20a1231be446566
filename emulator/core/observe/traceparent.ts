/** The header `traceparent` of W3C Trace Context, which names the trace of a request. */

/** Version, trace id, parent id, flags. Later versions may add more. */
const TRACEPARENT =
  /^(?!ff)(?<version>[0-9a-f]{2})-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?<more>-.*)?$/u;

/** The header to pass on; undefined without one, and for an invalid one, which has to be ignored (W3C). */
export function readTraceparent(header: unknown): string | undefined {
  if (typeof header !== "string") return undefined;
  const { version, more } = TRACEPARENT.exec(header)?.groups ?? {};
  if (version === undefined || (version === "00" && more !== undefined)) return undefined;
  return header.slice(0, TRACEPARENT_LENGTH);
}

const TRACEPARENT_LENGTH = 55;
