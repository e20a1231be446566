/** Reserved ids of endpoints: the second version of REST uses the paths of their jobs. */

/** First path segments below `/live/v2/` (live). The live service uses two hosts, one for resources and one for jobs. */
const RESERVED_IDS: ReadonlySet<string> = new Set([
  "account",
  "billing",
  "catalog",
  "clusters",
  "network-volumes",
  "openapi.json",
  "pods",
  "registries",
  "serverless",
  "templates",
]);

export function isReservedId(id: string): boolean {
  return RESERVED_IDS.has(id);
}

/** The reason, after `is reserved: `. */
export function reservedBecause(id: string): string {
  return `/live/v2/${id} is where clients of the live service manage resources`;
}
