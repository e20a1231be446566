/** Tables of a config's keys, from its schema: values, meanings, defaults. */
import { z } from "zod";
import { CONFIG_PARTS } from "../../emulator/cli/config/config-schema.ts";
import { markdownTable } from "./table.ts";

interface Field {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Field[];
  readonly const?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Field;
  readonly description?: string;
  readonly default?: unknown;
}

export function configTable(part: keyof typeof CONFIG_PARTS): string {
  const schema = z.toJSONSchema(CONFIG_PARTS[part], { io: "input" });
  const required = new Set(schema.required);
  const rows = Object.entries((schema.properties ?? {}) as Record<string, Field>).map(
    ([key, field]) => [
      `\`${key}\``,
      valueInWords(field),
      field.description ?? "",
      required.has(key) ? "required" : defaultInWords(field.default),
    ],
  );
  return markdownTable(["Key", "Value", "Meaning", "Default"], rows);
}

function valueInWords(field: Field): string {
  if (field.anyOf) return [...new Set(field.anyOf.map(valueInWords))].join(" or ");
  if (field.const !== undefined) return `\`${field.const}\``;
  if (field.enum) return field.enum.map((value) => `\`${value}\``).join(", ");
  if (field.type === "integer") return `${field.minimum} to ${field.maximum}`;
  if (field.type === "array") return `array: ${valueInWords(field.items ?? {})}`;
  return field.type === "string" ? "text" : (field.type ?? "any");
}

function defaultInWords(value: unknown): string {
  if (value === undefined) return "none";
  return `\`${typeof value === "string" ? value || '""' : JSON.stringify(value)}\``;
}
