/**
 * Headers by which a browser runs nothing of an answer as a page of this service: users, handlers and their servers produce
 * most of what is answered at the origin of the dashboard.
 */
import type { ServerResponse } from "node:http";

export const SANDBOX = {
  "content-security-policy": "sandbox",
  "x-content-type-options": "nosniff",
} as const;

/** Sets them for whatever is answered. A page of the service itself replaces the policy by one of its own. */
export function putInSandbox(response: Pick<ServerResponse, "setHeader">): void {
  for (const [name, value] of Object.entries(SANDBOX)) response.setHeader(name, value);
}
