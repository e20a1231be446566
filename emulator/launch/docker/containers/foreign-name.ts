/** Tells Docker's own engine from others that speak its API. Pure. */

/** What an engine says of its version, as far as it matters here. */
interface VersionAnswer {
  readonly Components?: readonly { readonly Name?: string; readonly Version?: string }[];
}

/** What Docker's engine is called among its own parts. */
const DOCKERS_OWN = "Engine";

/** Name and version of an engine that is not Docker's own; undefined for that, and for one that does not say. */
export function foreignName({ Components: components = [] }: VersionAnswer): string | undefined {
  const [first] = components;
  if (first?.Name === undefined || components.some(({ Name: name }) => name === DOCKERS_OWN))
    return undefined;
  return [first.Name, first.Version].filter((word) => word !== undefined).join(" ");
}
