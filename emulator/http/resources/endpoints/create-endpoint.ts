/** `POST /endpoints`: creates an endpoint and with it its queue (spec). */
import { endpointInputSchema, readEndpointInput } from "../../../core/resources/endpoint-input.ts";
import { createEndpoint as create } from "../../../engine/resources/manage-endpoints.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { readJsonBody } from "../../requests/json-body.ts";
import type { Operation } from "../../operation.ts";
import { endpointBody } from "./endpoint-body.ts";
import { json } from "../../schemas/contract.ts";
import { endpointSchema } from "../../schemas/endpoint.ts";

export const createEndpoint: Operation = {
  methods: ["POST"],
  path: "/v1/endpoints",
  body: "read",
  contract: {
    tag: "endpoints",
    takes: endpointInputSchema,
    answers: { 200: json("The endpoint.", endpointSchema) },
    errors: ["storage_full"],
  },
  async perform({ service: { engine }, dialect, request, response }) {
    const input = readEndpointInput(await readJsonBody(request, response));
    const endpoint = await create(engine, input);
    return jsonAnswer(dialect.endpoint(endpointBody(engine, endpoint)));
  },
};
