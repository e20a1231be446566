/** What was over the rate limits. */
import { z } from "zod";
import { LIMIT_MODES } from "../../core/limits/rate-limit.ts";
import { answered, instant } from "./contract.ts";

const count = z.int().min(0);
const peak = z.strictObject({ limit: count, peak: count });

export const limitReportSchema = answered("LimitReport", {
  mode: z.enum(LIMIT_MODES),
  exceeded: z
    .array(
      z.strictObject({
        endpointId: z.string(),
        operation: z.string().meta({ description: "For example `/run`." }),
        count: count.meta({
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
