/** Operations on endpoints in the second version of REST. */
import { ENDPOINT_FIELDS } from "../../../core/resources/endpoints/endpoint-fields.ts";
import type { Endpoint } from "../../../core/resources/endpoints/endpoint.ts";
import { CONTAINER_FIELDS } from "../../../core/resources/templates/template-fields.ts";
import type { Template } from "../../../core/resources/templates/template.ts";
import type { CatalogPort } from "../../../engine/resources/catalog-port.ts";
import type { InlineContainer } from "../../../engine/resources/templates/bound-template.ts";
import {
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
} from "../../../engine/resources/endpoints/manage-endpoints.ts";
import { updateEndpoint } from "../../../engine/resources/endpoints/update-endpoint.ts";
import type { Call } from "../../operation/operation.ts";
import { Collection } from "../rest-v2/collection.ts";
import { containerOf } from "../templates/rest-v2-container.ts";
import { namesOf } from "../rest-v2/fields.ts";
import { notFitting, unprocessable } from "../rest-v2/problem.ts";
import { endpointBodyV2 } from "./rest-v2-body.ts";
import {
  type CreateEndpointBody,
  createEndpointSchema,
  endpointSchemaV2,
  type UpdateEndpointBody,
  updateEndpointSchema,
} from "./rest-v2-schemas.ts";
import { endpointChangesOf, endpointSettingsOf } from "./rest-v2-settings.ts";

const endpoint = new Collection({
  tag: "endpoints",
  path: "/v2/serverless",
  id: "endpointId",
  list: "endpoints",
  name: "The endpoint",
  schema: endpointSchemaV2,
  names: {
    ...namesOf({ ...CONTAINER_FIELDS, ...ENDPOINT_FIELDS }),
    networkVolumeId: "networkVolumes",
    networkVolumeIds: "networkVolumes",
    scalerType: "scaling.type",
    LOAD_BALANCING: "LOAD_BALANCER",
  },
  placeOf: ({ id, createdAt }: Endpoint) => ({ at: createdAt, id }),
  show: (shown: Endpoint, call) =>
    endpointBodyV2(
      shown,
      call.service.engine.directory.findTemplate(shown.templateId),
      baseUrlOf(call),
    ),
});

export const SERVERLESS_V2_OPERATIONS = {
  /** `POST /v2/serverless`: creates an endpoint with its queue and with a template made from its container (live). */
  createEndpointV2: endpoint.creation(
    { takes: createEndpointSchema, errors: ["template_not_found", "storage_full"] },
    async ({ service: { engine } }, body) => {
      if (!("image" in body) && body.templateId === undefined)
        throw notFitting(["$: missing property 'image'"]);
      const inline = inlineOf(engine, body);
      const settings = endpointSettingsOf(withCudaOf(engine, body));
      return createEndpoint(engine, { ...settings, ...inline });
    },
  ),
  /** `GET /v2/serverless`: the endpoints, page by page (live). */
  listEndpointsV2: endpoint.listing(async ({ service }) => listEndpoints(service.engine)),
  /** `GET /v2/serverless/{id}`: one endpoint (live). */
  readEndpointV2: endpoint.reading(["endpoint_not_found"], async ({ service }, id) =>
    service.engine.directory.endpoint(id),
  ),
  /** `PATCH /v2/serverless/{id}`: changes an endpoint; a change of its container replaces its workers (live). */
  updateEndpointV2: endpoint.change(
    {
      takes: updateEndpointSchema,
      errors: ["endpoint_not_found", "template_not_found", "storage_full"],
    },
    async ({ service: { engine } }, id, body) => {
      const changes = endpointChangesOf(body, engine.directory.endpoint(id));
      return updateEndpoint(engine, id, changes, changedContainer(engine, body));
    },
  ),
  /** `DELETE /v2/serverless/{id}`: deletes an endpoint, its jobs and its own template; its workers leave (live). */
  deleteEndpointV2: endpoint.deletion(["endpoint_not_found", "storage_full"], deleteEndpoint),
};

/** @throws ServiceError template_not_found, unprocessable, invalid_request */
function inlineOf(
  { directory }: CatalogPort,
  body: CreateEndpointBody | UpdateEndpointBody,
): InlineContainer {
  const { templateId: copyOf } = body;
  if (copyOf !== undefined) refusePods(directory.template(copyOf));
  return { container: containerOf(body), ...(copyOf !== undefined && { copyOf }) };
}

/** Adds the CUDA versions of the copied template, unless the body names any (live). */
function withCudaOf({ directory }: CatalogPort, body: CreateEndpointBody): CreateEndpointBody {
  const { gpu, templateId } = body;
  if (gpu === undefined || templateId === undefined) return body;
  const { allowedCudaVersions } = directory.template(templateId);
  const isSaid = "allowedCudaVersions" in gpu || "minCudaVersion" in gpu;
  if (isSaid || allowedCudaVersions === undefined) return body;
  return { ...body, gpu: { ...gpu, ...{ allowedCudaVersions } } };
}

/** Undefined if the body does not change the container. */
function changedContainer(
  engine: CatalogPort,
  body: UpdateEndpointBody,
): InlineContainer | undefined {
  const inline = inlineOf(engine, body);
  const saysSomething = inline.copyOf !== undefined || Object.keys(inline.container).length > 0;
  return saysSomething ? inline : undefined;
}

/** Refuses templates of pods as unprocessable; `/v1` treats this as a rule between fields (live). */
function refusePods({ isServerless }: Template): void {
  if (isServerless) return;
  throw unprocessable(
    "Serverless endpoints cannot use pod templates. Please use a serverless template.",
  );
}

function baseUrlOf({ service, request }: Call<unknown>): string | undefined {
  const { scheme, host } = service.callers.seen(request);
  return host === undefined ? undefined : `${scheme}://${host}`;
}
