/** `GET /emulator/limits`: requests that the live service would have refused for its rate limits, by endpoint and operation. */
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
          description: "Requests over a limit: refused, or refused only by the live service.",
        }),
        requests: peak.meta({ description: "Requests of one key in any 10 s." }),
        concurrent: peak.optional().meta({ description: "Simultaneous requests of one key." }),
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
    answers: { 200: json("The exceeded limits.", limitReportSchema) },
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
