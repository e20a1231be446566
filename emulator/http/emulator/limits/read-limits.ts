/** `GET /emulator/limits`: which requests production would have refused for its rate limits, by endpoint and operation. */
import { z } from "zod";
import type { ExceededLimit } from "../../../core/limits/limit-report.ts";
import { LIMIT_MODES } from "../../../core/limits/rate-limit.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import { answered, instant, json } from "../../schemas/contract.ts";
import { listsOf } from "../../replicas/merged-answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { iso } from "../../../core/time/iso.ts";

const whole = z.int().min(0);
const peak = z.strictObject({ limit: whole, peak: whole });

const limitReportSchema = answered("LimitReport", {
  mode: z.enum(LIMIT_MODES),
  exceeded: z
    .array(
      z.strictObject({
        endpointId: z.string(),
        operation: z.string().meta({ description: "For example `/run`." }),
        count: whole.meta({
          description: "Requests that production would have refused, or that were refused.",
        }),
        requests: peak.meta({ description: "In any 10 s, of one key." }),
        concurrent: peak.optional().meta({ description: "At the same time, of one key." }),
        firstAt: instant(),
        lastAt: instant(),
      }),
    )
    .meta({ description: "Since the start of the service." }),
});

export const readLimits: Operation = {
  methods: ["GET"],
  path: "/emulator/limits",
  owner: "any",
  gather: listsOf("exceeded"),
  access: "admin",
  contract: {
    tag: "emulator",
    answers: { 200: json("What was over a limit.", limitReportSchema) },
  },
  async perform({ service: { limits } }) {
    const exceeded = (limits?.exceededLimits() ?? []).map(shown);
    return jsonAnswer({ mode: limits?.mode ?? "off", exceeded });
  },
};

function shown({
  endpointId,
  operation,
  count,
  rate,
  concurrency,
  firstAt,
  lastAt,
}: ExceededLimit) {
  return {
    ...{ endpointId, operation, count },
    requests: rate,
    ...(concurrency && { concurrent: concurrency }),
    firstAt: iso(firstAt),
    lastAt: iso(lastAt),
  };
}
