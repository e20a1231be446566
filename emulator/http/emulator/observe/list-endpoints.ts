/** `GET /emulator/endpoints`: the endpoints with their present jobs, workers and durations of the last minutes. */
import { STEP_MS } from "../../../core/observe/series/service-series.ts";
import { endpointOverviews } from "../../../engine/resources/endpoints/endpoint-overview.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { overviewsSchema } from "../../schemas/series.ts";
import { listsOf } from "../../replicas/merged-answer.ts";
import type { Operation } from "../../operation/operation.ts";

export const observeEndpoints: Operation = {
  methods: ["GET"],
  path: "/emulator/endpoints",
  owner: "any",
  gather: listsOf("endpoints"),
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 200: json("All endpoints.", overviewsSchema) },
  },
  async perform({ service }) {
    const refused = Map.groupBy(
      service.limits?.exceededLimits() ?? [],
      ({ endpointId }) => endpointId,
    );
    const overviews = (await endpointOverviews(service.engine)).filter(
      ({ endpoint: { id } }) => service.ownership?.owns(id) !== false,
    );
    const endpoints = overviews.map(({ endpoint, sparkline, ...overview }) => {
      const { id, name, type, version, workersMin, workersMax } = endpoint;
      const exceeded = refused.get(id) ?? [];
      const { input: inputSchema, output: outputSchema } = service.engine.schemas.of(id);
      return {
        ...{ id, name, type, version, workersMin, workersMax },
        ...overview,
        refusedInProduction: exceeded.reduce((sum, { count }) => sum + count, 0),
        sparkline: { stepMs: STEP_MS, ...sparkline },
        inputSchema,
        outputSchema,
      };
    });
    return jsonAnswer({ endpoints });
  },
};
