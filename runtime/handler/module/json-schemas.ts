/** A handler's input and output schemas as JSON Schemas, as far as their library supports that. */
import { Buffer } from "node:buffer";
import { LIMITS } from "../../protocol/limits.ts";
import type { HandlerSchemas, JsonSchema } from "../../protocol/session.ts";
import type { LoadedHandler } from "./read-module.ts";
import type { StandardSchema } from "./standard-schema.ts";

type Side = keyof HandlerSchemas;

/** Options of the conversion: types without a JSON form become "any value". Libraries other than zod ignore them. */
const TERMS = {
  target: "draft-2020-12",
  libraryOptions: { unrepresentable: "any" },
} as const;

/**
 * JSON text of a `HandlerSchemas`, for the input that clients submit and the output that they get. A schema without a JSON form
 * is left out. Both are left out if they are too large together. Never throws.
 */
export function schemasOf({ input, output }: Pick<LoadedHandler, Side>): Uint8Array {
  const text = textOf({ ...inJson("input", input), ...inJson("output", output) });
  return text.byteLength <= LIMITS.handlerSchemasMaxBytes ? text : textOf({});
}

function inJson(side: Side, schema: StandardSchema | undefined): HandlerSchemas {
  try {
    const made = schema?.["~standard"].jsonSchema?.[side](TERMS);
    if (typeof made !== "object" || made === null) return {};
    // Properties that a library adds beside the members are dropped.
    return { [side]: JSON.parse(JSON.stringify(made)) as JsonSchema };
  } catch {
    return {};
  }
}

function textOf(schemas: HandlerSchemas): Uint8Array {
  return Buffer.from(JSON.stringify(schemas));
}
