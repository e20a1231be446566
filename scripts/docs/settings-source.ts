/** The rows of the dashboard's settings page, from the fields of an endpoint. */
import { z } from "zod";
import { ENDPOINT_FIELDS_IN_FILES } from "../../emulator/core/resources/endpoints/endpoint-fields.ts";
import { type Field, type FormRow, kindOf } from "../../emulator/core/resources/fields.ts";

const HEAD = `/** The settings of an endpoint that a form can change: written by \`npm run docs\`. */
export const ENDPOINT_SETTINGS = [
`;

/** The content of the file `emulator/dashboard/service/generated/settings.ts`. */
export function settingsSource(): string {
  const rows = Object.entries<Field>(ENDPOINT_FIELDS_IN_FILES).flatMap(([name, field]) =>
    rowsOf(field).map(([member, row]) => shown(`${name}${member}`, field, row)),
  );
  return `${HEAD}${rows.map((row) => `  ${JSON.stringify(row)},\n`).join("")}] as const;\n`;
}

function rowsOf({ form }: Field): readonly (readonly [member: string, row: FormRow])[] {
  if (form === undefined) return [];
  if (isRow(form)) return [["", form]];
  return Object.entries(form).map(([member, row]) => [`.${member}`, row]);
}

function isRow(form: NonNullable<Field["form"]>): form is FormRow {
  return typeof form["label"] === "string";
}

function shown(name: string, { schema, shows, isInPlace }: Field, row: FormRow) {
  const { label, choices, ...more } = row;
  return {
    ...{ name, label, ...(choices ? { kind: "choice" } : inputFor(shows ?? kindOf(schema))) },
    ...more,
    ...(choices && { choices: Object.entries(choices) }),
    ...(!isInPlace && { rolls: true }),
  };
}

function inputFor(kind: z.ZodType) {
  if (kind instanceof z.ZodArray) return { kind: "line", isList: true };
  return { kind: kind instanceof z.ZodString ? "line" : "number" };
}
