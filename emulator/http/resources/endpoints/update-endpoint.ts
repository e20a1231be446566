/** `PATCH /endpoints/{id}`: changes an endpoint; unless it is done in place, its workers are replaced (live). */
import {
  endpointChangesSchema,
  readEndpointChanges,
} from "../../../core/resources/endpoint-input.ts";
import { updateEndpoint as update } from "../../../engine/resources/update-endpoint.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { endpointSchema } from "../../schemas/endpoint.ts";
import { readJsonBody } from "../../requests/json-body.ts";
import type { EndpointPath, Operation } from "../../operation.ts";
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
