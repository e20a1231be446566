/** Says why a connection failed. Errors of HTTP clients often leave that to their causes. */

/** Maximum number of causes that are looked at. */
const MAX_CAUSES = 5;
/** Messages of undici and of the clients of APIs that leave the reason to the cause. */
const VAGUE = new Set(["", "fetch failed", "terminated", "Connection error."]);

/** Whether the reason of the error is in its cause. */
export function isVague({ message }: Error): boolean {
  return VAGUE.has(message);
}

/** For example `fetch failed: connect ECONNREFUSED 127.0.0.1:9`. */
export function reasonOf(error: unknown): string {
  const said: string[] = [];
  let at = error;
  for (let n = 0; n < MAX_CAUSES && at instanceof Error; n++) {
    said.push(ownReason(at));
    if (!isVague(at)) break;
    at = at.cause;
  }
  const told = said.filter((each) => each !== "");
  return told.length === 0 ? nameOf(error) : told.join(": ");
}

/** An error of several addresses has no message, but one for each of them. */
function ownReason(error: Error): string {
  if (error.message !== "") return error.message.replace(/\.$/u, "");
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join("; ");
  return "";
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error ? String(error.code) : error.name;
}
