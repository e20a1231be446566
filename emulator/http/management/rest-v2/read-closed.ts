/** Reads bodies, which must have no unknown members, and query parameters in the second version of REST (live). */
import { z } from "zod";
import type { QueryParameters } from "../../../core/input/query-parameters.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import type { Call } from "../../operation/operation.ts";
import { readJsonBody } from "../../operation/requests/json-body.ts";
import { notFitting } from "./problem.ts";
import { FOR_LINES, schemaLines } from "./schema-lines.ts";

/**
 * Reads and parses the body by `schema`.
 * @throws ServiceError as `readClosed`; payload_too_large, invalid_json; ClientGoneError
 */
export async function readBodyV2<Output>(
  { request, response }: Pick<Call<unknown>, "request" | "response">,
  schema: z.ZodType<Output>,
): Promise<Output> {
  return readClosed(schema, await readJsonBody(request, response, LIMITS.restV2BodyMaxBytes));
}

/**
 * Parses the value by `schema`, which has strict objects.
 * @throws ServiceError unprocessable with a line per problem
 */
export function readClosed<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const result = schema.safeParse(value, FOR_LINES);
  if (result.success) return result.data;
  throw notFitting(schemaLines(result.error.issues));
}

/**
 * Parses the parameters of `shape`; others are ignored. No parameter may be repeated, not even a list (live).
 * @throws ServiceError unprocessable
 */
export function readParameters<Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  query: QueryParameters,
): z.output<z.ZodObject<Shape>> {
  const asked = Object.entries(query).filter(([name]) => Object.hasOwn(shape, name));
  const repeated = asked.filter(([, value]) => Array.isArray(value));
  if (repeated.length > 0) {
    const lines = repeated.map(
      ([name]) => `parameter '${name}' is not exploded, but is specified multiple times`,
    );
    throw notFitting(lines);
  }
  const result = z.object(shape).safeParse(Object.fromEntries(asked), FOR_LINES);
  if (result.success) return result.data;
  throw notFitting(
    schemaLines(result.error.issues, ([name = ""]) => `parameter '${String(name)}'`),
  );
}

export function integerParameterV2(min: number, max: number) {
  const read = (text: unknown) =>
    typeof text === "string" && /^-?(0|[1-9]\d*)$/u.test(text) ? Number(text) : text;
  return z.preprocess(read, z.int().min(min).max(max));
}

export function flagParameterV2() {
  const read = (text: unknown) => (text === "true" ? true : text === "false" ? false : text);
  return z.preprocess(read, z.boolean());
}

/** An optional parameter that is a list: items with commas between them (live). */
export function listParameterV2<Item extends z.ZodType>(item: Item, description = "With commas.") {
  const read = (text: unknown) =>
    typeof text === "string" ? text.split(",").filter((part) => part !== "") : text;
  return z
    .preprocess(read, z.array(item))
    .optional()
    .meta({ description, param: { style: "form", explode: false } });
}
