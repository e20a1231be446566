/**
 * The field tables of docs/management.md match the fields of the service, their defaults, and the effects of
 * changes.
 */
import { expect, test } from "vitest";
import { ENDPOINT_FIELDS } from "../../../emulator/core/resources/endpoints/endpoint-fields.ts";
import {
  readEndpointChanges,
  readEndpointInput,
} from "../../../emulator/core/resources/endpoints/endpoint-input.ts";
import { readNetworkVolumeInput } from "../../../emulator/core/resources/network-volumes/network-volume-input.ts";
import { readRegistryAuthInput } from "../../../emulator/core/resources/registry-auths/registry-auth-input.ts";
import { ServiceError } from "../../../emulator/core/service-error.ts";
import { namesInPlace } from "../../../emulator/core/resources/fields.ts";
import { TEMPLATE_FIELDS } from "../../../emulator/core/resources/templates/template-fields.ts";
import {
  readTemplateChanges,
  readTemplateInput,
} from "../../../emulator/core/resources/templates/template-input.ts";
import { readDocument } from "./documents.ts";

/** The cells of each row of the table below a heading, by the row's field and the column's title. */
function tableBelow(heading: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const [, section = ""] = readDocument("docs/management.md").text.split(`\n## ${heading}\n`);
  const [titles = [], , ...rows] = section
    .slice(section.indexOf("\n| Field"))
    .trim()
    .split("\n\n", 1)
    .join()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
  return new Map(
    rows.map((cells) => [
      (cells[1] ?? "").replaceAll("`", ""),
      new Map(titles.map((title, column) => [title, cells[column] ?? ""])),
    ]),
  );
}

/** The problems in a body with a value of the wrong kind for the field. */
function problemsWith(read: (body: unknown) => unknown, field: string): readonly string[] {
  try {
    read({ [field]: null });
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.problems ?? [];
  }
}

const changeable = [
  {
    heading: "Templates",
    read: readTemplateInput,
    required: { name: "a", imageName: "b" },
    readChanges: readTemplateChanges,
    inPlace: namesInPlace(TEMPLATE_FIELDS),
  },
  {
    heading: "Endpoints",
    read: readEndpointInput,
    required: { templateId: "a" },
    readChanges: readEndpointChanges,
    inPlace: namesInPlace(ENDPOINT_FIELDS),
  },
] as const;

const kinds = [
  ...changeable,
  {
    heading: "Container registry auths",
    read: readRegistryAuthInput,
    required: { name: "a", username: "b", password: "c" },
  },
  {
    heading: "Network volumes",
    read: readNetworkVolumeInput,
    required: { name: "a", size: 1, dataCenterId: "b" },
  },
] as const;

test.each(kinds)("$heading: every field of the table exists, and every field has a row", (kind) => {
  const { heading, read, required } = kind;
  const table = tableBelow(heading);
  for (const field of table.keys()) {
    expect(problemsWith(read, field).join()).not.toContain("is unknown");
  }
  expect(problemsWith(read, "surely-none").join()).toContain("is unknown");
  const filledIn: object = read(required);
  expect([...table.keys()]).toEqual(expect.arrayContaining(Object.keys(filledIn)));
});

test.each(kinds)("$heading: the defaults are the service's", ({ heading, read, required }) => {
  const filledIn = new Map<string, unknown>(Object.entries(read(required)));
  for (const [field, cells] of tableBelow(heading)) {
    const standard = cells.get("Default") ?? "";
    const code = /^`(.*)`$/.exec(standard)?.[1];
    if (standard === "required") {
      expect(problemsWith(read, "surely-none").join()).toContain(`${field} is required`);
    } else if (code === undefined) {
      expect(filledIn.get(field), field).toBeUndefined();
    } else {
      const value = filledIn.get(field);
      expect(typeof value === "string" && value !== "" ? value : JSON.stringify(value), field).toBe(
        code,
      );
    }
  }
});

test.each(changeable)(
  "$heading: a change takes effect in place, replaces workers or is refused as the table says",
  ({ heading, readChanges, inPlace }) => {
    const table = tableBelow(heading);
    expect([...table.keys()]).toEqual(expect.arrayContaining([...inPlace]));
    for (const [field, cells] of table) {
      const problems = problemsWith(readChanges, field).join();
      expect(problems, field).not.toContain("is unknown");
      const isFixed = problems.includes("cannot be changed");
      const rollsOrNot = inPlace.has(field) ? "in place" : "rolls";
      expect(cells.get("Change"), field).toBe(isFixed ? "fixed" : rollsOrNot);
    }
  },
);
