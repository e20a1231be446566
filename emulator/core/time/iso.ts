/** An instant as the interface writes it: ISO 8601, UTC. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}
