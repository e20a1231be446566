/** The tables of messages have the fields, numbers and types of `worker.proto`. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import * as codec from "../../../../../runtime/protocol/wire/codec.ts";
import * as messages from "../../../../../runtime/protocol/wire/messages.ts";
import { OUTCOME_KINDS } from "../../../../../runtime/protocol/wire/wire-outcome.ts";

const root = path.resolve(import.meta.dirname, "../../../../..");

const fieldSchema = z.object({
  jsonName: z.string(),
  number: z.number(),
  type: z.string(),
  typeName: z.string().optional(),
  label: z.string(),
});
const fileSchema = z.object({
  messageType: z.array(z.object({ name: z.string(), field: z.array(fieldSchema) })),
  enumType: z.array(
    z.object({ name: z.string(), value: z.array(z.object({ number: z.number().optional() })) }),
  ),
});

const NAMES = new Map<unknown, string>([
  [codec.text, "TYPE_STRING"],
  [codec.bytes, "TYPE_BYTES"],
  [codec.flag, "TYPE_BOOL"],
  [codec.uint32, "TYPE_UINT32"],
  [codec.int32, "TYPE_INT32"],
  [codec.uint64, "TYPE_UINT64"],
  ...Object.entries(messages).map(([name, type]) => [type, name] as const),
]);

function protoFile() {
  const buf = path.join(root, "node_modules/.bin/buf");
  const run = spawnSync(buf, ["build", "-o", "-#format=json"], { cwd: root, encoding: "utf8" });
  expect(run.stderr).toBe("");
  const [file] = z.object({ file: z.array(fileSchema) }).parse(JSON.parse(run.stdout)).file;
  if (file === undefined) throw new Error("buf built no file");
  return file;
}

type Row = readonly [number, { readonly read: unknown; readonly isList?: boolean }];

/** The fields of a table; a list copies its kind, so its functions tell which it is. */
function toldOf(fields: Readonly<Record<string, Row>>): unknown {
  const told = Object.entries(fields).map(([field, [number, kind]]): [string, unknown] => {
    const same = [...NAMES].find(([known]) => Reflect.get(Object(known), "read") === kind.read);
    return [field, [number, same?.[1], kind.isList === true]];
  });
  return Object.fromEntries(told);
}

test("each message has the fields of worker.proto", () => {
  const wanted = protoFile().messageType.map(({ name, field }): [string, unknown] => {
    const fields = field.map((declared): [string, unknown] => {
      const { jsonName, number, type, typeName, label } = declared;
      // A decoder keeps numbers of an enum that it does not know.
      const kind = type === "TYPE_ENUM" ? "TYPE_INT32" : (typeName?.split(".").at(-1) ?? type);
      return [jsonName, [number, kind, label === "LABEL_REPEATED"]];
    });
    return [name, Object.fromEntries(fields)];
  });
  const tables = Object.entries(messages).map(([name, { fields }]): [string, unknown] => [
    name,
    toldOf({ ...fields }),
  ]);
  expect(Object.fromEntries(tables)).toEqual(Object.fromEntries(wanted));
});

test("each outcome has the number that worker.proto gives it", () => {
  const [kinds] = protoFile().enumType;
  const numbers = kinds?.value.map(({ number = 0 }) => number).filter((number) => number > 0);
  expect(Object.values(OUTCOME_KINDS)).toEqual(numbers);
});
