/** Bodies of `/v1` that create or change an endpoint, checked. A new endpoint gets its defaults (source: spec). */
import { fields, readFields } from "../../input/input-fields.ts";
import type { RetryRules } from "../../jobs/job.ts";
import { ENDPOINT_FIELDS, retryRules } from "./endpoint-fields.ts";
import { defaultScalerType, type Endpoint, scalerProblem } from "./endpoint.ts";
import { changeShape, creationShape } from "../fields.ts";
import { namedVolumes } from "../network-volumes/network-volume.ts";

export interface EndpointInput extends Omit<Endpoint, "id" | "name" | "version" | "createdAt"> {
  /** Absent: the template's name. */
  readonly name?: string | undefined;
}

/** Absent fields stay unchanged, also within `retries`; an empty id of a volume removes it (live). */
export type EndpointChanges = {
  readonly [Field in Exclude<keyof EndpointInput, "computeType" | "type" | "retries">]?:
    | EndpointInput[Field]
    | undefined;
} & { readonly retries?: Changed<RetryRules> | undefined };

type Changed<T> = { readonly [Field in keyof T]?: T[Field] | undefined };

const FIELD_NAMES = Object.keys(ENDPOINT_FIELDS);

/** The body of `POST /endpoints`. */
export const endpointInputSchema = fields(creationShape(ENDPOINT_FIELDS))
  .superRefine((input, context) => {
    const message = workersMinProblem(input);
    if (message !== undefined) context.addIssue({ code: "custom", path: ["workersMin"], message });
    const wrongScaler = scalerProblem(input.type, input.scalerType);
    if (wrongScaler !== undefined) {
      context.addIssue({ code: "custom", path: ["scalerType"], message: wrongScaler });
    }
  })
  .meta({ id: "EndpointInput" });

/** The body of `PATCH /endpoints/{id}`. */
export const endpointChangesSchema = fields({
  ...changeShape(ENDPOINT_FIELDS),
  retries: fields(retryRules).partial().optional(),
}).meta({ id: "EndpointChanges" });

/** @throws ServiceError `invalid_request` */
export function readEndpointInput(value: unknown): EndpointInput {
  const { networkVolumeId, networkVolumeIds, scalerType, ...input } = readFields(
    endpointInputSchema,
    FIELD_NAMES,
    value,
  );
  return {
    ...input,
    scalerType: scalerType ?? defaultScalerType(input.type),
    ...namedVolumes({ networkVolumeId, networkVolumeIds }),
  };
}

/** Checks single fields; `changeEndpoint` checks the endpoint as a whole. @throws ServiceError `invalid_request` */
export function readEndpointChanges(value: unknown): EndpointChanges {
  return readFields(endpointChangesSchema, FIELD_NAMES, value);
}

/** The fault of `workersMin`, as a sentence without its subject. */
export function workersMinProblem(
  endpoint: Pick<Endpoint, "workersMin" | "workersMax">,
): string | undefined {
  const { workersMin, workersMax } = endpoint;
  if (workersMin <= workersMax) return undefined;
  return `must not exceed workersMax, which is ${workersMax}; got ${workersMin}`;
}
