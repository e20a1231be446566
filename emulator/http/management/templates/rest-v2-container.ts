/** The container of a template, an endpoint or a pod in the second version of REST (live). Pure. */
import { z } from "zod";
import { argsOf, isSameProgram, splitArgs } from "../../../core/resources/templates/docker-args.ts";
import { inOrder } from "../../../core/resources/fields.ts";
import { CONTAINER_FIELDS } from "../../../core/resources/templates/template-fields.ts";
import type { ContainerChanges } from "../../../core/resources/templates/template-input.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import { readBody, shownBelow, shownShape, takenShape } from "../rest-v2/fields.ts";

export const CONTAINER_ORDER = [
  ...["image", "disk", "env", "ports", "registry", "args", "cmd", "entrypoint"],
];

/** Entry point and command as one text. */
export const args = z.string().optional().meta({
  description:
    "A command as typed into a shell, or JSON with `entrypoint` and `cmd`; empty: the image's own.",
});

/** A new resource takes absent fields from its template or the defaults; a change leaves them unchanged. */
export const containerFields = inOrder(CONTAINER_ORDER, { ...takenShape(CONTAINER_FIELDS), args });

export const containerAnswer = inOrder(CONTAINER_ORDER, {
  ...shownShape(CONTAINER_FIELDS),
  args: z.string(),
});

/**
 * The fields that the body names.
 * @throws ServiceError `invalid_request` if `args` contradicts the lists
 */
export function containerOf(body: { readonly args?: string | undefined }): ContainerChanges {
  const changes = readBody(CONTAINER_FIELDS, body);
  if (body.args === undefined) return changes;
  const split = splitArgs(body.args);
  const { dockerStartCmd: cmd = split.cmd, dockerEntrypoint: entrypoint = split.entrypoint } =
    changes;
  if (!isSameProgram({ cmd, entrypoint }, split))
    throw invalidRequest(["args contradicts cmd and entrypoint: send only one of the two"]);
  return { ...changes, dockerStartCmd: cmd, dockerEntrypoint: entrypoint, dockerArgs: body.args };
}

export function containerBody(container: Parameters<typeof argsOf>[0]) {
  const shown = { ...shownBelow(CONTAINER_FIELDS, container), args: argsOf(container) };
  return inOrder(CONTAINER_ORDER, shown);
}
