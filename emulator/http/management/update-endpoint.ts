/** `PATCH /endpoints/{id}`: changes an endpoint; unless it is done in place, its workers are replaced (live). */
import { endpointChangesSchema, readEndpointChanges } from "../../core/endpoint-input.ts";
import { updateEndpoint as update } from "../../engine/update-endpoint.ts";
import { jsonAnswer } from "../answer.ts";
import { json } from "../contract/contract.ts";
import { endpointSchema } from "../contract/endpoint.ts";
import { readJsonBody } from "../json-body.ts";
import type { EndpointPath, Operation } from "../operation.ts";
import { endpointBody } from "./endpoint-body.ts";

export const updateEndpoint: Operation<EndpointPath> = {
  methods: ["PATCH", "PUT"],
  path: "/v1/endpoints/:endpointId",
  aliases: [{ methods: ["POST"], path: "/v1/endpoints/:endpointId/update" }],
  body: "read",
  contract: {
    tag: "endpoints",
    takes: endpointChangesSchema,
    answers: { 200: json("The endpoint as it is now.", endpointSchema) },
    errors: ["endpoint_not_found", "storage_full"],
  },
  async perform({ service: { engine }, dialect, path, request, response }) {
    const changes = readEndpointChanges(await readJsonBody(request, response));
    const endpoint = await update(engine, path.endpointId, changes);
    return jsonAnswer(dialect.endpoint(endpointBody(engine, endpoint)));
  },
};
