/** Reads what GraphQL takes for a template as what the use cases take. Pure. */
import { fields, flag, oneOf, readFields } from "../../../core/input/input-fields.ts";
import { splitArgs } from "../../../core/resources/docker-args.ts";
import {
  type ContainerChanges,
  readTemplateChanges,
  readTemplateInput,
  type TemplateChanges,
  type TemplateInput,
} from "../../../core/resources/template-input.ts";
import { TEMPLATE_CATEGORIES } from "../../../core/resources/template.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import { defined, envOf, given, type Input, listOf, textOf } from "../graphql/input.ts";

/** Of a new template. Without ports it has none, other than below `/v1` (live). @throws ServiceError invalid_request */
export function templateInputOf(input: Input): TemplateInput {
  const { dockerArgs, ...body } = containerInput(input);
  const { isPublic, isServerless, category } = given(input);
  const more = defined({ isPublic, isServerless, category });
  return {
    ...readTemplateInput({ ports: [], ...body, ...more }),
    ...newerFields(input, dockerArgs),
  };
}

/** Of a change: an empty text takes away what was there. @throws ServiceError invalid_request */
export function templateChangesOf(input: Input): TemplateChanges {
  const { dockerArgs, ...body } = containerInput(input);
  const { isPublic, isServerless, category } = given(input);
  return {
    ...readTemplateChanges({ ...body, ...defined({ isPublic }) }),
    ...readFields(settled, Object.keys(settled.shape), defined({ isServerless, category })),
    ...newerFields(input, dockerArgs),
  };
}

/** What workers are to be made of, where that is written beside an endpoint; its name is the endpoint's. @throws ServiceError invalid_request */
export function containerChangesOf(input: Input): ContainerChanges {
  const { dockerArgs, name: _, ...body } = containerInput(input);
  const { imageName, containerDiskInGb, containerRegistryAuthId, ...more } =
    readTemplateChanges(body);
  const { dockerEntrypoint, dockerStartCmd, env, ports } = more;
  return {
    ...{ imageName, containerDiskInGb, containerRegistryAuthId },
    ...{ dockerArgs, dockerEntrypoint, dockerStartCmd, env, ports },
  };
}

/** What can be changed in other dialects than that of `/v1`. */
const settled = fields({
  category: oneOf(TEMPLATE_CATEGORIES).optional(),
  isServerless: flag().optional(),
});

/**
 * What a container is made of, as `/v1` has it, and beside it the text that says what it runs.
 *
 * @throws ServiceError invalid_request
 */
export function containerInput(input: Input): Input & { readonly dockerArgs?: string } {
  if (textOf(input["startScript"]) !== undefined) throw invalidRequest([NO_SCRIPT]);
  const { dockerArgs, readme, containerRegistryAuthId } = input;
  const { name, imageName, containerDiskInGb, volumeInGb, volumeMountPath } = given(input);
  return {
    ...defined({ name, imageName, containerDiskInGb, volumeInGb, volumeMountPath }),
    ...defined({ readme, containerRegistryAuthId }),
    ...defined({ ports: listOf(input["ports"]), env: envOf(input["env"]) }),
    ...(typeof dockerArgs === "string" && programOf(dockerArgs)),
  };
}

function programOf(dockerArgs: string) {
  const { entrypoint, cmd } = splitArgs(dockerArgs);
  return { dockerArgs, dockerEntrypoint: entrypoint, dockerStartCmd: cmd };
}

const NO_SCRIPT =
  "startScript is not served here; put the script into the image, or its command into dockerArgs";

function newerFields({ startSsh, startJupyter }: Input, dockerArgs: string | undefined) {
  return {
    ...(dockerArgs !== undefined && { dockerArgs }),
    ...(typeof startSsh === "boolean" && { startSsh }),
    ...(typeof startJupyter === "boolean" && { startJupyter }),
  };
}
