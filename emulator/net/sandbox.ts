/**
 * Headers that stop a browser from running an answer as a page of this service. Most answers at the origin of the dashboard come from
 * users, handlers and their servers.
 */
import type { ServerResponse } from "node:http";

export const SANDBOX = {
  "content-security-policy": "sandbox",
  "x-content-type-options": "nosniff",
} as const;

/** Sets the headers of any answer. A page of the service itself replaces the policy by its own. */
export function putInSandbox(response: Pick<ServerResponse, "setHeader">): void {
  for (const [name, value] of Object.entries(SANDBOX)) response.setHeader(name, value);
}
