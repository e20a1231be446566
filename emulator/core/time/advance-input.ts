/** The body that advances service time, checked. */
import { z } from "zod";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { DURATION_PATTERN, parseDuration } from "./duration.ts";
import { fields, readFields } from "../input/input-fields.ts";
import { valueInWords } from "../input/problem-messages.ts";

const MAX_DAYS = LIMITS.clockAdvanceMaxMs / 86_400_000;

/** For the OpenAPI document; messages have sentences of their own. */
const DURATION = {
  anyOf: [
    { type: "string", minLength: 1, pattern: DURATION_PATTERN.source },
    { type: "integer", minimum: 0, maximum: LIMITS.clockAdvanceMaxMs },
  ],
  description: "A duration like `31m`, `1h30m` or `250ms`, or a whole number of ms.",
};

/** The body of `POST /emulator/clock`. */
export const advanceSchema = fields({
  advance: z
    .unknown()
    .meta(DURATION)
    .transform((value, context): number => {
      const ms = typeof value === "string" ? parseDuration(value) : value;
      if (isWholeMs(ms) && ms >= 0 && ms <= LIMITS.clockAdvanceMaxMs) return ms;
      context.addIssue({ code: "custom", message: problemOf(value, ms) });
      return z.NEVER;
    }),
});

/**
 * The time to advance by, ms: `advance` of the body, a text like `31m` or a number of ms.
 * @throws ServiceError `invalid_request`
 */
export function readAdvanceMs(body: unknown): number {
  return readFields(advanceSchema, ["advance"], body).advance;
}

function problemOf(value: unknown, ms: unknown): string {
  const form = `a duration like "31m", "1h30m" or "250ms", or a whole number of ms`;
  if (value === undefined) return `is required and must be ${form}`;
  if (isBackwards(value)) {
    return `must not be negative, as service time never goes backwards; got ${valueInWords(value)}`;
  }
  if (typeof ms === "number" && ms > LIMITS.clockAdvanceMaxMs)
    return `must be at most ${MAX_DAYS} days at a time; got ${valueInWords(value)}`;
  return `must be ${form}; got ${valueInWords(value)}`;
}

function isWholeMs(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value);
}

function isBackwards(value: unknown): boolean {
  if (typeof value === "number") return value < 0;
  return (
    typeof value === "string" &&
    value.startsWith("-") &&
    parseDuration(value.slice(1)) !== undefined
  );
}
