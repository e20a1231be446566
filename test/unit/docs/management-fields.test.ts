/** The field tables of docs/management.md say what the service accepts and which defaults it fills in. */
import { expect, test } from "vitest";
import { readEndpointInput } from "../../../emulator/core/endpoint-input.ts";
import { ServiceError } from "../../../emulator/core/service-error.ts";
import { readTemplateInput } from "../../../emulator/core/template-input.ts";
import { readDocument } from "./documents.ts";

/** Field and default of each row of the table below a heading. */
function tableBelow(heading: string): ReadonlyMap<string, string> {
  const [, section = ""] = readDocument("docs/management.md").text.split(`\n## ${heading}\n`);
  const [table = ""] = section.split("\n## ");
  const rows = table.matchAll(/^\| `(\w+)` +\| [^|]+\| ([^|]+?) *\|/gm);
  return new Map(Array.from(rows, ([, field = "", standard = ""]) => [field, standard]));
}

/** The problems found in a body that has a value of the wrong kind for the field. */
function problemsWith(read: (body: unknown) => unknown, field: string): readonly string[] {
  try {
    read({ [field]: null });
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.problems ?? [];
  }
}

const kinds = [
  { heading: "Templates", read: readTemplateInput, required: { name: "a", imageName: "b" } },
  { heading: "Endpoints", read: readEndpointInput, required: { templateId: "a" } },
] as const;

test.each(kinds)("$heading: every field of the table is one, and no field lacks a row", (kind) => {
  const { heading, read, required } = kind;
  const table = tableBelow(heading);
  for (const field of table.keys()) {
    expect(problemsWith(read, field).join()).not.toContain("is unknown");
  }
  expect(problemsWith(read, "surely-none").join()).toContain("is unknown");
  const filledIn: object = read(required);
  expect([...table.keys()]).toEqual(expect.arrayContaining(Object.keys(filledIn)));
});

test.each(kinds)(
  "$heading: the defaults are those that are filled in",
  ({ heading, read, required }) => {
    const filledIn = new Map<string, unknown>(Object.entries(read(required)));
    for (const [field, standard] of tableBelow(heading)) {
      const code = /^`(.*)`$/.exec(standard)?.[1];
      if (standard === "required") {
        expect(problemsWith(read, "surely-none").join()).toContain(`${field} is required`);
      } else if (code === undefined) {
        expect(filledIn.get(field), field).toBeUndefined();
      } else {
        const value = filledIn.get(field);
        expect(
          typeof value === "string" && value !== "" ? value : JSON.stringify(value),
          field,
        ).toBe(code);
      }
    }
  },
);
