/** `GET /health`: the number of an endpoint's jobs and workers in each state (spec; four of the worker counters live, `problem` ours). */
import { health as readHealth } from "../../engine/resources/endpoints/health.ts";
import { jsonAnswer } from "../operation/answers/answer.ts";
import type { EndpointPath, Operation } from "../operation/operation.ts";
import { json } from "../schemas/contract.ts";
import { healthSchema } from "../schemas/job.ts";

export const health: Operation<EndpointPath> = {
  methods: ["GET"],
  path: "/v2/:endpointId/health",
  contract: {
    tag: "jobs",
    answers: { 200: json("The counters.", healthSchema) },
    errors: ["endpoint_not_found"],
  },
  async perform({ service, path, dialect }) {
    const { problem, ...counts } = await readHealth(service.engine, path.endpointId);
    const isOurs = dialect.name !== "live" && problem !== undefined;
    return jsonAnswer({ ...counts, ...(isOurs && { problem }) });
  },
};
