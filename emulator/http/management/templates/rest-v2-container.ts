/** What a container is made of in the second version of REST, of a template as of an endpoint and a pod, and back (live). Pure. */
import { z } from "zod";
import { environment, imageName } from "../../../core/input/input-fields.ts";
import { argsOf, isSameProgram, splitArgs } from "../../../core/resources/docker-args.ts";
import type { Template } from "../../../core/resources/template.ts";
import { type ContainerChanges, TEMPLATE_PORT } from "../../../core/resources/template-input.ts";
import { invalidRequest } from "../../../core/service-error.ts";

const texts = () => z.array(z.string());

/** Each may be absent: of a new thing it is then its template's, or as `newContainer` says; of one that is there it stays. */
export const containerFields = {
  image: imageName().optional(),
  disk: z.int().min(1).optional().meta({ description: "GB." }),
  env: environment().optional(),
  ports: z.array(z.string().regex(TEMPLATE_PORT)).optional(),
  registry: z.string().nullable().optional().meta({ description: "Null: none." }),
  args: z.string().optional().meta({
    description:
      "A command as it is typed into a shell, or JSON with `entrypoint` and `cmd`; empty: as the image says.",
  }),
  cmd: texts().optional(),
  entrypoint: texts().optional(),
};

type ContainerInput = z.output<z.ZodObject<typeof containerFields>>;

/** How it is answered. */
export const containerAnswer = {
  image: z.string(),
  disk: z.int(),
  env: z.record(z.string(), z.string()),
  ports: texts(),
  registry: z.string().nullable(),
  args: z.string(),
  cmd: texts(),
  entrypoint: texts(),
};

/** What is kept of a container, of a template as of a pod. */
type Container = Pick<
  Template,
  "imageName" | "env" | "ports" | "containerRegistryAuthId" | "dockerEntrypoint" | "dockerStartCmd"
> & { readonly dockerArgs?: string | undefined; readonly containerDiskInGb: number | null };

/** Those of them that the body names. @throws ServiceError `invalid_request` where `args` says another thing than the lists */
export function containerOf(body: ContainerInput): ContainerChanges {
  const { image, disk, env, ports, registry } = body;
  return {
    ...(image !== undefined && { imageName: image }),
    ...(disk !== undefined && { containerDiskInGb: disk }),
    ...(env !== undefined && { env }),
    ...(ports !== undefined && { ports }),
    // An empty id means none.
    ...(registry !== undefined && { containerRegistryAuthId: registry ?? "" }),
    ...programOf(body),
  };
}

function programOf({ args, cmd, entrypoint }: ContainerInput) {
  if (args === undefined) {
    return {
      ...(cmd !== undefined && { dockerStartCmd: cmd }),
      ...(entrypoint !== undefined && { dockerEntrypoint: entrypoint }),
    };
  }
  const split = splitArgs(args);
  const said = { cmd: cmd ?? split.cmd, entrypoint: entrypoint ?? split.entrypoint };
  if (!isSameProgram(said, split))
    throw invalidRequest(["args says another thing than cmd and entrypoint: send one of both"]);
  return { dockerStartCmd: split.cmd, dockerEntrypoint: split.entrypoint, dockerArgs: args };
}

/** As it is answered. */
export function containerBody(container: Container) {
  const { imageName: image, containerDiskInGb, env, ports, containerRegistryAuthId } = container;
  return {
    image,
    disk: containerDiskInGb ?? 0,
    env,
    ports,
    registry: containerRegistryAuthId ?? null,
    args: argsOf(container),
    cmd: container.dockerStartCmd,
    entrypoint: container.dockerEntrypoint,
  };
}
