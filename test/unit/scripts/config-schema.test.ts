/** The JSON schema of configs tells editors the same as `sv-emulate` when it reads one. */
import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { configSchema } from "../../../emulator/cli/config/config-schema.ts";
import { configJsonSchema } from "../../../scripts/config-schema.ts";

const validate = new Ajv({ strict: false }).compile(configJsonSchema());

test("the documentation's config is valid by the schema and for sv-emulate", async () => {
  const file = new URL("../../../docs/configuration.md", import.meta.url);
  const example = /```json\n(.*?)```/s.exec(await readFile(file, "utf8"))?.[1] ?? "";
  const config: unknown = JSON.parse(example);
  expect(validate(config), JSON.stringify(validate.errors)).toBe(true);
  expect(configSchema.safeParse(config).error).toBeUndefined();
});

test.each([
  [{ endpoints: { a: { handler: "a", workers_max: 1 } } }],
  [{ endpoints: { a: { handler: "a", workersMax: 1_001 } } }],
  [{ endpoints: { a: { handler: "a", env: { T: { from: "x" } } } } }],
  [{ port: 1 }],
])("%j is invalid by the schema and for sv-emulate", (config) => {
  expect(validate(config)).toBe(false);
  expect(configSchema.safeParse(config).success).toBe(false);
});

test("every key has a description", () => {
  const text = JSON.stringify(configJsonSchema());
  expect(text).toContain("GPUs of each worker");
  const { properties } = configJsonSchema() as { properties: Record<string, object> };
  for (const [key, field] of Object.entries(properties))
    expect(field, key).toHaveProperty("description");
});
