/** Refuses to delete a resource that is still in use. */
import type { Endpoint } from "../../core/resources/endpoints/endpoint.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { Pod } from "../../core/pods/pod.ts";
import type { Template } from "../../core/resources/templates/template.ts";
import type { Step } from "../steps/step.ts";

/** The users of a resource; absent kinds are not checked. */
export interface Users {
  readonly endpoint?: (endpoint: Endpoint) => boolean;
  readonly template?: (template: Template) => boolean;
  readonly pod: (pod: Pod) => boolean;
}

/**
 * Call it in the step that deletes the resource.
 * @param what the resource, for example `the template "a"`
 * @throws ServiceError in_use
 */
export function refuseIfUsed(
  step: Pick<Step, "record" | "records">,
  what: string,
  by: Users,
): void {
  const { endpoint: isEndpoint, template: isTemplate, pod: isPod } = by;
  if (isEndpoint) refuse(what, "endpoint", idsOf(step.records("endpoint").filter(isEndpoint)));
  if (isTemplate) {
    const templates = step.records("template").filter(isTemplate);
    refuse(
      what,
      "template",
      templates.map(({ name }) => name),
    );
  }
  refuse(what, "pod", idsOf(step.records("pod").filter(isPod)));
}

function idsOf(things: readonly { readonly id: string }[]): readonly string[] {
  return things.map(({ id }) => id);
}

function refuse(what: string, kind: string, users: readonly string[]): void {
  if (users.length === 0) return;
  const named = users.map((user) => `"${user}"`).join(", ");
  const [those, them] = users.length === 1 ? [kind, "it"] : [`${kind}s`, "them"];
  const message = `${what} is used by the ${those} ${named}; change or delete ${them} first`;
  throw new ServiceError("in_use", message);
}
