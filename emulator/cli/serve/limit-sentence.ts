/** The summary at the end of a run: what was over the rate limits of production, in a sentence for each operation. */
import type { ExceededLimit, LimitMode } from "../../index.ts";

/** At the end of a run with `--limits warn`, which is there to be asked. */
export const NOTHING_EXCEEDED = "rate limits: no request was over those of production";

export function limitSentence(exceeded: ExceededLimit, mode: LimitMode): string {
  const { endpointId, operation, count, rate, concurrency, firstAt, lastAt } = exceeded;
  const requests = count === 1 ? "1 request" : `${count} requests`;
  const fate =
    mode === "warn"
      ? "would have been answered 429 in production"
      : `${count === 1 ? "was" : "were"} answered 429, as in production`;
  const peaks = [`up to ${rate.peak} in 10 s where ${rate.limit} are allowed`];
  if (concurrency !== undefined) {
    peaks.push(`up to ${concurrency.peak} at once where ${concurrency.limit} are allowed`);
  }
  const when = firstAt === lastAt ? `at ${iso(firstAt)}` : `from ${iso(firstAt)} to ${iso(lastAt)}`;
  return `rate limits: ${requests} to ${operation} of ${endpointId} ${fate}: ${peaks.join("; ")}; ${when}`;
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
