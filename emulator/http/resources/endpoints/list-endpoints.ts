/** `GET /endpoints`: all endpoints as a bare array (spec). */
import { z } from "zod";
import { listEndpoints as list } from "../../../engine/resources/manage-endpoints.ts";
import { jsonAnswer } from "../../answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { endpointQuery, endpointSchema } from "../../schemas/endpoint.ts";
import type { Operation } from "../../operation.ts";
import { endpointBody, readEndpointIncludes } from "./endpoint-body.ts";

export const listEndpoints: Operation = {
  methods: ["GET"],
  path: "/v1/endpoints",
  body: "skipped",
  contract: {
    tag: "endpoints",
    query: endpointQuery,
    answers: { 200: json("Oldest first.", z.array(endpointSchema)) },
  },
  async perform({ service: { engine }, dialect, query }) {
    const includes = readEndpointIncludes(query);
    const shown = list(engine).map((endpoint) => endpointBody(engine, endpoint, includes));
    return jsonAnswer(shown.map((endpoint) => dialect.endpoint(endpoint)));
  },
};
