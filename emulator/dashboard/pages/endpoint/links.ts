/** Links to the jobs, workers and limits behind the numbers of an endpoint. */
import { hrefTo } from "../../route/route.ts";

/** @param words more words of the query */
export function jobsOf(endpointId: string, ...words: readonly string[]): string {
  return hrefTo("jobs", [], { q: [`endpoint:${endpointId}`, ...words].join(" ") });
}

/** @param state a state of workers; empty for all */
export function workersOf(endpointId: string, state = ""): string {
  return hrefTo("workers", [], { endpoint: endpointId, state });
}

export function limitsOf(endpointId: string): string {
  return hrefTo("limits", [], { endpoint: endpointId });
}
