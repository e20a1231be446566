/** The last instant that has a date, ms since 1970. */
export const LATEST_INSTANT = 8.64e15;

/** An instant in the form of the interface: ISO 8601, UTC. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}
