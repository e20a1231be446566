/** Where the jobs, workers and limits behind a number of an endpoint are. */
import { hrefTo } from "../../route/route.ts";

/** @param words of the query for jobs, beside the endpoint */
export function jobsOf(endpointId: string, ...words: readonly string[]): string {
  return hrefTo("jobs", [], { q: [`endpoint:${endpointId}`, ...words].join(" ") });
}

/** @param state one of those that workers have; empty for all */
export function workersOf(endpointId: string, state = ""): string {
  return hrefTo("workers", [], { endpoint: endpointId, state });
}

export function limitsOf(endpointId: string): string {
  return hrefTo("limits", [], { endpoint: endpointId });
}
