/** Who answers a request, where several replicas share a store. */
import type { Owned } from "../../engine/steps/state/endpoint-moved.ts";
import type { Ownership, Replica } from "../../store/ownership.ts";
import type { Call, Operation } from "../operation/operation.ts";

/** What the request is about; undefined: any replica can answer it. */
export async function ownedBy<Path>(
  { owner }: Operation<Path>,
  call: Call<Path>,
): Promise<Owned | undefined> {
  if (owner === "any") return undefined;
  if (owner === "service") return owner;
  if (owner !== undefined && "findOwned" in owner) return owner.findOwned(call);
  const endpointId = owner === undefined ? endpointIn(call.path) : await owner.find(call);
  return endpointId === undefined ? undefined : { endpointId };
}

/** The endpoint in the path; undefined if it names none. */
export function endpointIn(path: unknown): string | undefined {
  if (typeof path !== "object" || path === null || !("endpointId" in path)) return undefined;
  return typeof path.endpointId === "string" ? path.endpointId : undefined;
}

export function isOwned(ownership: Ownership, owned: Owned): boolean {
  return owned === "service" ? ownership.ownsService() : ownership.owns(owned.endpointId);
}

export function ownerOf(ownership: Ownership, owned: Owned): Replica | undefined {
  return owned === "service" ? ownership.serviceOwner() : ownership.ownerOf(owned.endpointId);
}
