/** `GET /endpoints/{id}`: one endpoint (spec). */
import { readEndpoint as read } from "../../engine/manage-endpoints.ts";
import { jsonAnswer } from "../answer.ts";
import type { EndpointPath, Operation } from "../operation.ts";
import { endpointBody } from "./endpoint-body.ts";

export const readEndpoint: Operation<EndpointPath> = {
  methods: ["GET"],
  path: "/v1/endpoints/:endpointId",
  body: "skipped",
  async perform({ service, path, query }) {
    const { engine } = service;
    return jsonAnswer(endpointBody(engine, read(engine, path.endpointId), query));
  },
};
