/** Scopes of keys: the one rule that lets a request in or refuses it. Pure. */
import { ServiceError } from "../service-error.ts";
import type { ApiKey, KeyScope } from "./api-key.ts";

export type Part =
  /** Jobs of an endpoint, and requests to its workers' servers. */
  | "jobs"
  /** Calls of a worker that the service has not started. */
  | "workers"
  /** Endpoints, templates and the other resources. */
  | "resources"
  /** Operations of the emulator itself. */
  | "own"
  /** Operations that make and revoke keys. */
  | "keys";

/** The permission that a request needs. */
export interface Need {
  readonly part: Part;
  /** True: the request changes nothing, and its answer allows no change. */
  readonly reads: boolean;
  /** The endpoint that the request's jobs or workers belong to. */
  readonly endpointId?: string | undefined;
}

/** @param need undefined: every key will do, except one for workers */
export function opens({ scope, endpointIds = [] }: ApiKey, need: Need | undefined): boolean {
  if (need === undefined) return scope !== "workers";
  const { part, reads, endpointId } = need;
  const isNamed = endpointId !== undefined && endpointIds.includes(endpointId);
  switch (scope) {
    case "all":
      return true;
    case "user":
      return part !== "own" && part !== "keys";
    case "read-only":
      return reads;
    case "jobs":
      return part === "jobs" && isNamed;
    case "workers":
      return part === "workers" && isNamed;
    case "management":
      return part === "resources" || part === "own";
  }
}

/** Permissions of each scope, for messages. */
const MEANINGS: Readonly<Record<KeyScope, string>> = {
  all: "everything",
  user: "everything except the emulator's own operations, which have a separate key",
  "read-only": "what changes nothing",
  jobs: "jobs of the endpoints it names",
  management: "resources and the emulator's own operations, except keys and jobs",
  workers: "operations for workers of the endpoint it names",
};

/** @throws ServiceError insufficient_scope */
export function checkOpens(key: ApiKey, need: Need | undefined): void {
  if (opens(key, need)) return;
  const { name, scope, endpointIds = [] } = key;
  const named = endpointIds.length > 0 ? `: ${endpointIds.join(", ")}` : "";
  throw new ServiceError(
    "insufficient_scope",
    `the key "${name}" has the scope ${scope}, which opens ${MEANINGS[scope]}${named}`,
  );
}
