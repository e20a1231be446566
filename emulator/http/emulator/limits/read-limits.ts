/** `GET /emulator/limits`: which requests production would have refused for its rate limits, by endpoint and operation. */
import type { ExceededLimit } from "../../../core/limits/limit-report.ts";
import { jsonAnswer } from "../../operation/answers/answer.ts";
import { json } from "../../schemas/contract.ts";
import { limitReportSchema } from "../../schemas/limits.ts";
import { listsOf } from "../../replicas/merged-answer.ts";
import type { Operation } from "../../operation/operation.ts";
import { iso } from "../../../core/time/iso.ts";

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
