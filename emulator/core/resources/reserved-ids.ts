/** Ids that no endpoint of a file can have: where its jobs would be, the second version of REST manages resources. */

/** The first parts of paths below `/live/v2/` (live), where the live service has two hosts for resources and for jobs. */
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

/** Why it is one, after `is reserved: `. */
export function reservedBecause(id: string): string {
  return `/live/v2/${id} is where clients of the live service manage resources`;
}
