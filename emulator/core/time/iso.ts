/** An instant in the form of the interface: ISO 8601, UTC. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}
