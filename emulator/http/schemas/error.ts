/** The body of every error answer of the contract's dialect. */
import { z } from "zod";
import { ERROR_CODES, type ErrorCode } from "../../core/service-error.ts";

const CODES = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

export const errorSchema = z.strictObject({
  error: z.string().meta({ description: "A sentence a person can act on." }),
  code: z.enum(CODES),
  status: z.int().meta({ description: "The HTTP status." }),
  problems: z.array(z.string()).optional().meta({
    description: "One sentence per thing that is wrong; on `invalid_request` and `not_ready`.",
  }),
});
