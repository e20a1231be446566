/** The refusal to delete what something else still uses. */
import { ServiceError } from "../../core/service-error.ts";

export interface Use {
  /** What is to be deleted, for example `the template "a"`. */
  readonly what: string;
  /** What kind of thing uses it, for example `endpoint`. */
  readonly kind: string;
  /** The names or ids of those that use it, at least one. */
  readonly users: readonly string[];
}

export function inUse({ what, kind, users }: Use): ServiceError {
  const named = users.map((user) => `"${user}"`).join(", ");
  const those = users.length === 1 ? `the ${kind}` : `the ${kind}s`;
  const them = users.length === 1 ? "it" : "them";
  const message = `${what} is used by ${those} ${named}; change or delete ${them} first`;
  return new ServiceError("in_use", message);
}
