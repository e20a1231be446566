/** Schema problems are reported in the lines that clients of the live service know. */
import { expect, test } from "vitest";
import { z } from "zod";
import { ServiceError } from "../../../../../emulator/core/service-error.ts";
import {
  integerParameterV2,
  listParameterV2,
  readClosed,
  readParameters,
} from "../../../../../emulator/http/management/rest-v2/read-closed.ts";

const schema = z.strictObject({
  name: z.string().min(1),
  type: z.enum(["QUEUE", "LOAD_BALANCER"]),
  gpu: z
    .strictObject({ pools: z.array(z.string()).min(1), count: z.int().min(1).default(1) })
    .optional(),
  scaling: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("QUEUE_DELAY"), queueDelay: z.number().min(0.5) }),
    z.strictObject({ type: z.literal("REQUEST_COUNT"), requestCount: z.int().min(1) }),
  ]),
  env: z.record(z.string(), z.string()).optional(),
  registry: z.string().nullable().optional(),
  version: z
    .string()
    .regex(/^\d+\.\d+$/u)
    .optional(),
});

const fine = { name: "a", type: "QUEUE", scaling: { type: "REQUEST_COUNT", requestCount: 1 } };

function linesOf(read: () => unknown): readonly string[] | undefined {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error).toMatchObject({ code: "unprocessable", message: "Request validation failed." });
    return error.problems;
  }
}

test.each([
  [fine, []],
  ["text", ["$: got string, want object"]],
  [null, ["$: got null, want object"]],
  [{ ...fine, a: 1, b: 2 }, ["$: additional properties 'a', 'b' not allowed"]],
  [{ type: "QUEUE" }, ["$: missing properties 'name', 'scaling'"]],
  [{ ...fine, name: undefined }, ["$: missing property 'name'"]],
  [{ ...fine, name: "" }, ["$.name: minLength: got 0, want 1"]],
  [{ ...fine, type: "OTHER" }, ["$.type: value must be one of 'QUEUE', 'LOAD_BALANCER'"]],
  [{ ...fine, gpu: { pools: [] } }, ["$.gpu.pools: minItems: got 0, want 1"]],
  [{ ...fine, gpu: { pools: [1] } }, ["$.gpu.pools[0]: got number, want string"]],
  [{ ...fine, gpu: { pools: ["A"], count: "2" } }, ["$.gpu.count: got string, want integer"]],
  [{ ...fine, gpu: { pools: ["A"], count: 0 } }, ["$.gpu.count: minimum: got 0, want 1"]],
  [{ ...fine, gpu: {} }, ["$.gpu: missing property 'pools'"]],
  [
    { ...fine, scaling: { type: "NONE" } },
    ["$.scaling.type: value must be one of 'QUEUE_DELAY', 'REQUEST_COUNT'"],
  ],
  [
    { ...fine, scaling: { type: "QUEUE_DELAY", queueDelay: 0.1 } },
    ["$.scaling.queueDelay: minimum: got 0.1, want 0.5"],
  ],
  [{ ...fine, env: { A: 1 } }, ["$.env.A: got number, want string"]],
  [{ ...fine, registry: 1 }, ["$.registry: got number, want string"]],
  [{ ...fine, version: "x" }, [String.raw`$.version: "x" does not match /^\d+\.\d+$/u`]],
])("the body %j: %j", (value, lines) => {
  expect(linesOf(() => readClosed(schema, value))).toEqual(lines);
});

const parameters = {
  limit: integerParameterV2(1, 10).optional(),
  regions: listParameterV2(z.enum(["EU", "US"])).optional(),
};

test.each([
  [{ limit: "3", regions: "EU,US", unknown: ["a", "b"] }, []],
  [{ limit: "a" }, ["parameter 'limit': got string, want integer"]],
  [{ limit: "11" }, ["parameter 'limit': maximum: got 11, want 10"]],
  [{ regions: "EU,XX" }, ["parameter 'regions': value must be one of 'EU', 'US'"]],
  [
    { regions: ["EU", "US"] },
    ["parameter 'regions' is not exploded, but is specified multiple times"],
  ],
])("the query %j: %j", (query, lines) => {
  expect(linesOf(() => readParameters(parameters, query))).toEqual(lines);
});

test("a list in the query is one text with commas", () => {
  expect(readParameters(parameters, { regions: "EU,US" })).toEqual({ regions: ["EU", "US"] });
});
