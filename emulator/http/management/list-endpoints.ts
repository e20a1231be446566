/** `GET /endpoints`: all endpoints as a bare array (spec). */
import { listEndpoints as list } from "../../engine/manage-endpoints.ts";
import { jsonAnswer } from "../answer.ts";
import type { Operation } from "../operation.ts";
import { endpointBody } from "./endpoint-body.ts";

export const listEndpoints: Operation = {
  methods: ["GET"],
  path: "/v1/endpoints",
  body: "skipped",
  async perform({ service, query }) {
    const { engine } = service;
    return jsonAnswer(list(engine).map((endpoint) => endpointBody(engine, endpoint, query)));
  },
};
