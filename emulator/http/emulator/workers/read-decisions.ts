/**
 * `GET /emulator/endpoints/{endpointId}/decisions`: the scaler's decisions for an endpoint with their reasons, newest first.
 */
import { z } from "zod";
import { limitParameter, parseLimit } from "../../../core/input/query-parameters.ts";
import { reasonInWords } from "../../../core/workers/scale-reason.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { decisionsSchema } from "../../schemas/series.ts";
import type { EndpointPath, Operation } from "../../operation/operation.ts";
import { iso } from "../../../core/time/iso.ts";

export const readDecisions: Operation<EndpointPath> = {
  methods: ["GET"],
  path: "/emulator/endpoints/:endpointId/decisions",
  access: "admin",
  contract: {
    tag: "emulator",
    query: z.object({ limit: limitParameter }),
    answers: {
      200: json(
        "Decisions that started workers or told them to leave, and decisions that were held back.",
        decisionsSchema,
      ),
    },
    errors: ["endpoint_not_found"],
  },
  async perform({ service, path, query }) {
    const { directory, decisions } = service.engine;
    const { id } = directory.endpoint(path.endpointId);
    const newest = decisions.of(id).slice(-parseLimit(query)).toReversed();
    const shown = newest.map(({ at, reasons, ...decision }) => ({
      at: iso(at),
      ...decision,
      reason: reasonInWords({ at, reasons }),
    }));
    return jsonAnswer({ decisions: shown });
  },
};
