/** Labels of webhook deliveries. */
import { plural } from "../../format/format.ts";
import type { DeliveryTry } from "../../../../runtime/protocol/generated/answers.ts";

/** The answer, or why there was none. */
export function outcomeOf({ status, error }: DeliveryTry): string {
  return status === undefined ? (error ?? "no answer") : String(status);
}

/** `200`, or `3 tries, the last: 500`. The page of the delivery has the reasons. */
export function triesLabel(tries: readonly DeliveryTry[]): string {
  const last = tries.at(-1);
  if (last === undefined) return "not tried yet";
  const outcome = last.status === undefined ? "no answer" : String(last.status);
  return tries.length === 1
    ? outcome
    : `${plural(tries.length, "try", "tries")}, the last: ${outcome}`;
}

/** The receiver without its query, which may be secret: `127.0.0.1:3000/done`. */
export function receiverOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url;
  const path = parsed.pathname === "/" ? "" : parsed.pathname;
  return `${parsed.host}${path}${parsed.search === "" ? "" : "?…"}`;
}

/** The path that lists deliveries; empty entries are left out. */
export function listPath(
  filter: { readonly [Name in "state" | "endpointId" | "jobId"]: string },
  after: string,
): string {
  const entries = Object.entries({ limit: "50", ...filter, after });
  return `emulator/webhooks?${new URLSearchParams(entries.filter(([, value]) => value !== "")).toString()}`;
}
