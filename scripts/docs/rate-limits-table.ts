/** The table of rate limits, from `runtime/protocol/rate-limits.ts`, with the operations that count in each row. */
import { OPERATIONS } from "../../emulator/http/operations.ts";
import { RATE_LIMITS, type RateLimit } from "../../runtime/protocol/rate-limits.ts";
import { markdownTable } from "./table.ts";

export function rateLimitsTable(): string {
  const rows = Object.entries(RATE_LIMITS).map(([name, { path, requests, concurrent }]) => [
    `\`${path}\``,
    counted(requests),
    counted(concurrent),
    Object.values(OPERATIONS)
      .filter(({ rateLimit }) => rateLimit === name)
      .map((operation) => `\`${operation.path.replace(/^\/v2\/:endpointId|\/:jobId$/g, "")}\``)
      .join(", "),
  ]);
  return markdownTable(["Limit", "Requests in 10 s", "At once", "Counts"], rows);
}

function counted(count: RateLimit["concurrent"]): string {
  return count === undefined ? "any number" : count.toLocaleString("en-US");
}
