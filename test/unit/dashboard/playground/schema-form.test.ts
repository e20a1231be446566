/** A form made from a handler's input schema, and the JSON of its input. */
import { describe, expect, test } from "vitest";
import { readRawJson } from "../../../../emulator/dashboard/json/raw-json.ts";
import {
  fieldsOf,
  inputOf,
  typedOf,
} from "../../../../emulator/dashboard/pages/playground/schema-form.ts";

const schema = {
  type: "object",
  properties: {
    prompt: { type: "string", title: "Prompt", description: "What to say." },
    steps: { type: "integer", default: 20 },
    seed: { anyOf: [{ type: "integer" }, { type: "null" }] },
    fast: { type: "boolean", default: false },
    size: { enum: ["small", "large", 7] },
    more: { $ref: "#/$defs/More" },
  },
  required: ["prompt", "steps"],
  $defs: { More: { type: "array", items: { type: "number" } } },
};

const fields = fieldsOf(schema) ?? [];

describe("fields", () => {
  test("have the kind, the texts and the default of the schema", () => {
    const told = fields.map(({ name, kind, isRequired, initial }) => [
      name,
      kind,
      isRequired,
      initial,
    ]);
    expect(told).toEqual([
      ["prompt", "text", true, ""],
      ["steps", "number", true, "20"],
      ["seed", "number", false, ""],
      ["fast", "flag", false, "false"],
      ["size", "choice", false, ""],
      ["more", "json", false, ""],
    ]);
    expect(fields[0]).toMatchObject({ title: "Prompt", description: "What to say.", isLong: true });
    expect(fields[4]?.choices).toEqual(['"small"', '"large"', "7"]);
  });

  test.each([
    [undefined],
    [true],
    [{}],
    [{ type: "string" }],
    [{ type: "object", properties: {} }],
    [{ anyOf: [{ type: "object" }] }],
  ])("are missing for %j, which is typed as JSON", (other) => {
    expect(fieldsOf(other)).toBeUndefined();
  });

  test("are texts for a schema with markup, or one that refers to itself", () => {
    const hostile = {
      properties: {
        "<b>": { title: "<img src=x>", type: "string" },
        loop: { $ref: "#/properties/loop" },
      },
    };
    expect(fieldsOf(hostile)).toMatchObject([
      { name: "<b>", title: "<img src=x>" },
      { name: "loop" },
    ]);
  });
});

describe("the input", () => {
  test("is the typed values with unchanged numbers and the defaults, without empty fields", () => {
    const typed = {
      prompt: 'say "hi"\n',
      seed: "90071992547409931",
      size: '"large"',
      more: "[1.0, 2]",
    };
    expect(inputOf(fields, typed)).toEqual({
      json: '{"prompt":"say \\"hi\\"\\n","steps":20,"seed":90071992547409931,"fast":false,"size":"large","more":[1.0,2]}',
    });
  });

  test("can be empty in a required text, not in a required number", () => {
    expect(inputOf(fields, { steps: "" })).toEqual({ problems: { steps: "is required" } });
    expect(inputOf(fields, {})).toMatchObject({ json: expect.stringContaining('"prompt":""') });
  });

  test("has a sentence for each invalid field", () => {
    const typed = { steps: "many", fast: "maybe", size: '"huge"', more: "[1" };
    expect(inputOf(fields, typed)).toEqual({
      problems: {
        steps: "must be a number",
        fast: "must be true or false",
        size: "must be one of the choices",
        more: "must be JSON",
      },
    });
  });

  test("fills the fields again, unless a member has no field", () => {
    const typed = typedOf(
      fields,
      readRawJson('{"prompt":"a","seed":1.50}') ?? { kind: "array", items: [] },
    );
    expect(typed).toMatchObject({ prompt: "a", seed: "1.50", steps: "" });
    expect(
      typedOf(fields, readRawJson('{"other":1}') ?? { kind: "array", items: [] }),
    ).toBeUndefined();
    expect(typedOf(fields, { kind: "array", items: [] })).toBeUndefined();
  });
});
