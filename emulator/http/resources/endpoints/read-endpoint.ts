/** `GET /endpoints/{id}`: one endpoint (spec). */
import { readEndpoint as read } from "../../../engine/resources/manage-endpoints.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { endpointQuery, endpointSchema } from "../../schemas/endpoint.ts";
import type { EndpointPath, Operation } from "../../operation.ts";
import { endpointBody, readEndpointIncludes } from "./endpoint-body.ts";

export const readEndpoint: Operation<EndpointPath> = {
  methods: ["GET"],
  path: "/v1/endpoints/:endpointId",
  body: "skipped",
  contract: {
    tag: "endpoints",
    query: endpointQuery,
    answers: { 200: json("The endpoint.", endpointSchema) },
    errors: ["endpoint_not_found"],
  },
  async perform({ service: { engine }, dialect, path, query }) {
    const includes = readEndpointIncludes(query);
    const endpoint = read(engine, path.endpointId);
    return jsonAnswer(dialect.endpoint(endpointBody(engine, endpoint, includes)));
  },
};
