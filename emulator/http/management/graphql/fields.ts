/** Types, inputs and answers of GraphQL, made from tables of fields. Pure. */
import { z } from "zod";
import {
  type Field,
  type FieldTable,
  type GraphqlPlace,
  kindOf,
} from "../../../core/resources/fields.ts";
import { envOf, type Input, listOf, pairsOf } from "./input.ts";

interface Kind {
  readonly input: string;
  readonly output: string;
  readonly read?: (sent: unknown) => unknown;
  readonly write?: (value: unknown) => unknown;
}

const TEXT: Kind = { input: "String", output: "String" };
const WORD: Kind = { input: "Word", output: "String" };
const FLAG: Kind = { input: "Boolean", output: "Boolean" };
const WHOLE: Kind = { input: "Int", output: "Whole" };
const LIST: Kind = {
  input: "Words",
  output: "String",
  read: listOf,
  write: (list) => (Array.isArray(list) ? list.join(",") : ""),
};
const VARIABLES: Kind = {
  input: "[KeyValueInput]",
  output: "[KeyValue]",
  read: envOf,
  write: (env) => pairsOf(env as Readonly<Record<string, string>>),
};

export function inputFields(table: FieldTable): string {
  return placesIn(table)
    .map(({ name, kind }) => `${name}: ${kind.input}`)
    .join("\n  ");
}

export function outputFields(table: FieldTable): string {
  return placesIn(table)
    .map(({ name, kind }) => `${name}: ${kind.output}`)
    .join("\n  ");
}

/** The fields that an input sets, in the form of `/v1`. Null, and for most fields an empty text, count as absent (live). */
export function sentFields(table: FieldTable, input: Input): Input {
  const set = placesIn(table).flatMap(({ field, name, kind, place }): [string, unknown][] => {
    const sent = input[name];
    if (sent === undefined || sent === null || (sent === "" && !place.takesEmpty)) return [];
    const read = place.read ?? kind.read;
    return [[field, read ? read(sent) : sent]];
  });
  return Object.fromEntries(set);
}

export function shownFields(table: FieldTable, thing: object): Input {
  const shown = placesIn(table).map(({ field, name, kind, place }): [string, unknown] => {
    const value: unknown = Reflect.get(thing, field);
    const write = place.write ?? kind.write;
    return [name, write ? write(value) : value];
  });
  return Object.fromEntries(shown);
}

/** Names of the fields in messages. */
export function namesOf(table: FieldTable): Readonly<Record<string, string>> {
  return Object.fromEntries(placesIn(table).map(({ field, name }) => [field, name]));
}

interface ShownField {
  readonly field: string;
  readonly place: GraphqlPlace<unknown>;
  readonly name: string;
  readonly kind: Kind;
}

/** The fields of each table, worked out once. */
const places = new WeakMap<FieldTable, readonly ShownField[]>();

function placesIn(table: FieldTable): readonly ShownField[] {
  const known = places.get(table);
  if (known !== undefined) return known;
  const made = Object.entries(table).flatMap(([field, row]) => {
    if (row.graphql === false) return [];
    const place: GraphqlPlace<unknown> = row.graphql ?? {};
    return [{ field, place, name: place.name ?? field, kind: kindIn(row, place) }];
  });
  places.set(table, made);
  return made;
}

function kindIn(
  { schema, shows = kindOf(schema) }: Field,
  { isWord }: GraphqlPlace<unknown>,
): Kind {
  if (isWord) return WORD;
  if (shows instanceof z.ZodRecord) return VARIABLES;
  if (shows instanceof z.ZodArray) return LIST;
  if (shows instanceof z.ZodNumber) return WHOLE;
  if (shows instanceof z.ZodBoolean) return FLAG;
  return shows instanceof z.ZodEnum ? WORD : TEXT;
}
