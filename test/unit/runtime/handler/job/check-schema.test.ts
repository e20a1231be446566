/** The issues of a schema become one bounded sentence. */
import { describe, expect, test } from "vitest";
import { checkInput, checkOutput } from "../../../../../runtime/handler/job/check-schema.ts";
import type {
  SchemaIssue,
  StandardSchema,
} from "../../../../../runtime/handler/module/standard-schema.ts";

function failing(issues: readonly SchemaIssue[]): StandardSchema {
  return { "~standard": { version: 1, vendor: "test", validate: () => ({ issues }) } };
}

describe("a check by a schema", () => {
  test("names the place of each issue, in every form of a path", async () => {
    const schema = failing([
      { message: "is no object" },
      { message: "is no number", path: ["items", 0, { key: "size" }, Symbol("unit")] },
    ]);
    await expect(checkInput(schema, 1)).rejects.toThrow(
      "The input does not fit the handler's schema: is no object; items.0.size.Symbol(unit): is no number",
    );
  });

  test("makes a short message of a thousand long issues", async () => {
    const issues = Array.from({ length: 1_000 }, () => ({ message: "x".repeat(10_000) }));
    const error: unknown = await checkOutput(failing(issues), 1).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "invalid_output" });
    const { message } = error as Error;
    expect(message.length).toBeLessThan(10_000);
    expect(message).toMatch(/; and 980 more$/u);
  });

  test("passes on an error that a schema throws", async () => {
    const thrown = new TypeError("only on weekdays");
    const broken: StandardSchema = {
      "~standard": { version: 1, vendor: "test", validate: () => Promise.reject(thrown) },
    };
    await expect(checkInput(broken, 1)).rejects.toBe(thrown);
  });
});
