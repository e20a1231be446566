/** Reads templates in GraphQL inputs as input of the use cases. Pure. */
import { fields, readFields } from "../../../core/input/input-fields.ts";
import { splitArgs } from "../../../core/resources/templates/docker-args.ts";
import { changeShape } from "../../../core/resources/fields.ts";
import {
  NEWER_TEMPLATE_FIELDS,
  TEMPLATE_FIELDS,
} from "../../../core/resources/templates/template-fields.ts";
import {
  type ContainerChanges,
  readTemplateChanges,
  readTemplateInput,
  type TemplateChanges,
  type TemplateInput,
} from "../../../core/resources/templates/template-input.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import { sentFields } from "../graphql/fields.ts";
import { type Input, textOf } from "../graphql/input.ts";

/**
 * A new template. It has no ports by default, unlike in `/v1` (live).
 * @throws ServiceError invalid_request
 */
export function templateInputOf(input: Input): TemplateInput {
  const { dockerArgs, ...body } = containerInput(input);
  return { ...readTemplateInput({ ports: [], ...body }), ...newerFields(input, dockerArgs) };
}

/**
 * Changes of a template; an empty text removes the present value.
 * @throws ServiceError invalid_request
 */
export function templateChangesOf(input: Input): TemplateChanges {
  const { dockerArgs, ...body } = containerInput(input);
  return { ...readTemplateChanges(body, true), ...newerFields(input, dockerArgs) };
}

/**
 * The container of workers written within an endpoint; it has the endpoint's name.
 * @throws ServiceError invalid_request
 */
export function containerChangesOf(input: Input): ContainerChanges {
  const { dockerArgs, ...body } = containerInput(input);
  const { name: _, ...container } = readTemplateChanges(body);
  return { ...container, dockerArgs };
}

/**
 * The fields of a container in the form of `/v1`, and the text of its entry point and command.
 * @throws ServiceError invalid_request
 */
export function containerInput(input: Input): Input & { readonly dockerArgs?: string } {
  if (textOf(input["startScript"]) !== undefined) throw invalidRequest([NO_SCRIPT]);
  const { dockerArgs } = input;
  return {
    ...sentFields(TEMPLATE_FIELDS, input),
    ...(typeof dockerArgs === "string" && programOf(dockerArgs)),
  };
}

function programOf(dockerArgs: string) {
  const { entrypoint, cmd } = splitArgs(dockerArgs);
  return { dockerArgs, dockerEntrypoint: entrypoint, dockerStartCmd: cmd };
}

const NO_SCRIPT =
  "startScript is not served here; put the script into the image, or its command into dockerArgs";

const newer = fields(changeShape(NEWER_TEMPLATE_FIELDS));

function newerFields(input: Input, dockerArgs: string | undefined) {
  return {
    ...(dockerArgs !== undefined && { dockerArgs }),
    ...readFields(newer, [], sentFields(NEWER_TEMPLATE_FIELDS, input)),
  };
}
