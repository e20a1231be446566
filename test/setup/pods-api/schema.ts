/** Checks fields and types of objects by the tables of the client library. */
import * as models from "@kubernetes/client-node";

interface Attribute {
  readonly baseName: string;
  readonly type: string;
}

type Table = { getAttributeTypeMap(): readonly Attribute[] };

/** Paths of unknown fields, and sentences on values of a wrong type. */
export interface Misfits {
  readonly unknown: readonly string[];
  readonly mistyped: readonly string[];
}

/** @param type the library's name, for example `V1Pod` */
export function misfits(value: unknown, type: string): Misfits {
  const found = { unknown: [] as string[], mistyped: [] as string[] };
  look(value, type, "", found);
  return found;
}

type Found = { readonly unknown: string[]; readonly mistyped: string[] };

function look(value: unknown, type: string, at: string, found: Found): void {
  const list = /^Array<(.+)>$/u.exec(type)?.[1];
  const map = /^\{ \[key: string\]: (.+); \}$/u.exec(type)?.[1];
  if (list !== undefined) {
    if (!Array.isArray(value)) return wrong(at, "a list", found);
    for (const [index, each] of value.entries()) look(each, list, `${at}[${index}]`, found);
  } else if (map !== undefined) {
    if (!isObject(value)) return wrong(at, "an object", found);
    for (const [key, each] of Object.entries(value)) look(each, map, `${at}.${key}`, found);
  } else if (type in models) {
    lookInto(value, (models as unknown as Record<string, Table>)[type], at, found);
  } else if (["string", "number", "boolean"].includes(type) && typeof value !== type) {
    wrong(at, `a ${type}`, found);
  }
}

function lookInto(value: unknown, table: Table | undefined, at: string, found: Found): void {
  if (!isObject(value)) return wrong(at, "an object", found);
  const known = new Map(table?.getAttributeTypeMap().map(({ baseName, type }) => [baseName, type]));
  for (const [key, each] of Object.entries(value)) {
    const path = at === "" ? key : `${at}.${key}`;
    const type = known.get(key);
    if (type === undefined) found.unknown.push(path);
    else if (each !== null) look(each, type, path, found);
  }
}

function wrong(at: string, what: string, { mistyped }: Found): void {
  mistyped.push(`${at} must be ${what}`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
