/** `GET /emulator/endpoints/{endpointId}/series`: the last hour of an endpoint in steps of 10 s. */
import { STEP_MS } from "../../../core/observe/series/service-series.ts";
import { endpointSeries } from "../../../engine/resources/endpoints/endpoint-overview.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { seriesSchema } from "../../schemas/series.ts";
import type { EndpointPath, Operation } from "../../operation/operation.ts";
import { iso } from "../../../core/time/iso.ts";

export const readSeries: Operation<EndpointPath> = {
  methods: ["GET"],
  path: "/emulator/endpoints/:endpointId/series",
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 200: json("The last hour.", seriesSchema) },
    errors: ["endpoint_not_found"],
  },
  async perform({ service, path }) {
    const { endsAt, points } = endpointSeries(service.engine, path.endpointId);
    return jsonAnswer({ stepMs: STEP_MS, endsAt: iso(endsAt), points });
  },
};
