/** What keys open: the one rule by which a request is let in or refused. Pure. */
import { ServiceError } from "../service-error.ts";
import type { ApiKey, KeyScope } from "./api-key.ts";

/** The parts of the interface. */
export type Part =
  /** Jobs of an endpoint, and requests to the servers of its workers. */
  | "jobs"
  /** What a worker calls that somebody else has started. */
  | "workers"
  /** Endpoints, templates and the other resources. */
  | "resources"
  /** The emulator's own operations. */
  | "own"
  /** Those of them that make and revoke keys. */
  | "keys";

/** What a key has to open for a request. */
export interface Need {
  readonly part: Part;
  /** Whether nothing is changed by it, and nothing told that lets others change something. */
  readonly reads: boolean;
  /** The endpoint whose jobs, or whose worker's operations, are asked for. */
  readonly endpointId?: string | undefined;
}

/** @param need undefined for what any key opens but one of workers */
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

/** What each scope opens, for messages. */
const MEANINGS: Readonly<Record<KeyScope, string>> = {
  all: "everything",
  user: "everything but the emulator's own operations, which have a key of their own",
  "read-only": "what changes nothing",
  jobs: "jobs of the endpoints it names",
  management: "resources and the emulator's own operations but for keys, and no jobs",
  workers: "what workers call of the endpoint it names",
};

/** @throws ServiceError insufficient_scope, if the key does not open it */
export function checkOpens(key: ApiKey, need: Need | undefined): void {
  if (opens(key, need)) return;
  const { name, scope, endpointIds = [] } = key;
  const named = endpointIds.length > 0 ? `: ${endpointIds.join(", ")}` : "";
  throw new ServiceError(
    "insufficient_scope",
    `the key "${name}" has the scope ${scope}, which opens ${MEANINGS[scope]}${named}`,
  );
}
