/** Example inputs generated from schemas match them. */
import { expect, test } from "vitest";
import { z } from "zod";
import { callsOfSchemas } from "../../../../emulator/cli/serve/example-call.ts";
import { sampleOf } from "../../../../emulator/cli/serve/sample-of-schema.ts";
import type { JsonSchema } from "../../../../runtime/protocol/session.ts";

const node = z.object({
  name: z.string(),
  get next() {
    return node.nullable();
  },
});

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  "what it has to have": z.object({ prompt: z.string(), seed: z.int().optional() }),
  "bounds of numbers": z.object({
    ...{ a: z.int().min(64).max(512), b: z.number().gt(1).lt(2), c: z.int().max(-3) },
    ...{ d: z.number().multipleOf(8).min(3), e: z.number().min(0).max(0.5), f: z.int().positive() },
  }),
  "lengths of texts and lists": z.object({
    ...{ long: z.string().min(20), short: z.string().max(2), none: z.array(z.string()) },
    ...{ some: z.array(z.int()).min(2), pair: z.tuple([z.string(), z.boolean()]) },
  }),
  formats: z.object({
    ...{ mail: z.email(), url: z.url(), id: z.uuid(), at: z.iso.datetime(), day: z.iso.date() },
  }),
  choices: z.object({
    ...{
      language: z.enum(["de", "fr"]),
      way: z.literal(7),
      either: z.union([z.int(), z.string()]),
    },
    ...{ maybe: z.string().nullable(), known: z.string().default("x"), anything: z.unknown() },
  }),
  "one of several": z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("a"), of: z.object({ deep: z.string() }) }),
    z.object({ kind: z.literal("b") }),
  ]),
  "two at once": z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })),
  "what refers to itself": node,
  nothing: z.object({}),
};

test.each(Object.entries(SCHEMAS))("%s", (_, schema) => {
  const sample = sampleOf(z.toJSONSchema(schema, { io: "input" }) as JsonSchema);
  expect(sample).toBeTypeOf("object");
  expect(schema.safeParse(sample)).toMatchObject({ success: true });
});

test("a schema with unknown matching values gets no sample", () => {
  const endless: JsonSchema = { $ref: "#" };
  const pattern = z.toJSONSchema(z.object({ code: z.string().regex(/^\d{4}$/) })) as JsonSchema;
  expect(sampleOf(endless)).toBeUndefined();
  expect(sampleOf(pattern)).toBeUndefined();
  expect(sampleOf({ type: "string", pattern: "(?i)[" })).toBeUndefined();
  const text: JsonSchema = { type: "string" };
  const name: JsonSchema = { type: "object", required: ["name"], properties: { name: text } };
  expect(callsOfSchemas(new Map(Object.entries({ endless, pattern, text, name })))).toEqual(
    new Map([["name", { path: "runsync", body: '{"input":{"name":"name"}}' }]]),
  );
});
