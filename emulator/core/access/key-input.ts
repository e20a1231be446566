/** The body that makes a key, checked. */
import { z } from "zod";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import {
  fields,
  must,
  NAME_MAX_CHARACTERS,
  nonEmptyText,
  oneOf,
  readFields,
  texts,
} from "../input/input-fields.ts";
import { valueInWords } from "../input/problem-messages.ts";
import { invalidRequest } from "../service-error.ts";
import { DURATION_PATTERN, parseDuration } from "../time/duration.ts";
import { MADE_SCOPES } from "./api-key.ts";

const MAX_DAYS = LIMITS.keyExpiryMaxMs / 86_400_000;
const error = must(`a duration like "30d" or "12h", of at most ${MAX_DAYS} days`);

/** The body of `POST /emulator/keys`. */
export const keyInputSchema = fields({
  name: nonEmptyText(NAME_MAX_CHARACTERS).regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, {
    error: must("a string without control characters"),
  }),
  scope: oneOf(MADE_SCOPES),
  endpointIds: texts().optional().meta({
    description:
      "With the scope `jobs`, the endpoints of the jobs that the key opens; with `workers`, the endpoint that the key is for.",
  }),
  expiresIn: z
    .string({ error })
    .regex(DURATION_PATTERN, { error })
    .refine((text) => isExpiry(parseDuration(text)), { error })
    .optional()
    .meta({
      description:
        "Time until it expires, for example `30d`; by default it is valid until it is revoked.",
    }),
}).meta({ id: "ApiKeyInput" });

export type KeyInput = z.infer<typeof keyInputSchema>;

/** @throws ServiceError `invalid_request` */
export function readKeyInput(value: unknown): KeyInput {
  const input = readFields(keyInputSchema, Object.keys(keyInputSchema.shape), value);
  const { scope, endpointIds = [] } = input;
  const count = endpointIds.length;
  if (scope === "jobs" && count === 0)
    throw invalidRequest(["endpointIds must name an endpoint for the scope jobs"]);
  if (scope === "workers" && count !== 1)
    throw invalidRequest(["endpointIds must name one endpoint for the scope workers"]);
  if (scope !== "jobs" && scope !== "workers" && count > 0)
    throw invalidRequest([
      `endpointIds are for the scopes jobs and workers; got the scope ${valueInWords(scope)}`,
    ]);
  return input;
}

function isExpiry(ms: number | undefined): boolean {
  return ms !== undefined && ms > 0 && ms <= LIMITS.keyExpiryMaxMs;
}
