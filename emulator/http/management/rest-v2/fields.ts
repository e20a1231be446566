/** Bodies of the second version of REST, made from tables of fields: schemas, reading and writing. Pure. */
import type { z } from "zod";
import {
  type Changed,
  type Field,
  type FieldTable,
  kindOf,
  type RestV2Place,
} from "../../../core/resources/fields.ts";

type Shape = Readonly<Record<string, z.ZodType>>;

/**
 * Request members directly below a path, for example `workers`.
 * @param isNew names the required fields
 */
export function takenShape(table: FieldTable, below = "", isNew = false): Shape {
  return membersBelow(table, below, ({ schema, isRequired }, place) => {
    const { takes = kindOf(schema, true), isSettled } = place;
    if (!isNew && isSettled) return undefined;
    return isNew && (isRequired ?? place.isRequired) ? takes : takes.optional();
  });
}

/** Answer members directly below a path. */
export function shownShape(table: FieldTable, below = ""): Shape {
  return membersBelow(
    table,
    below,
    ({ schema, shows = kindOf(schema) }, place) => place.shows ?? shows,
  );
}

/** Fields of `thing` directly below a path, in the form of answers. */
export function shownBelow(table: FieldTable, thing: object, below = "") {
  return membersBelow(table, below, (_, place, name) => {
    const value: unknown = Reflect.get(thing, name);
    return place.write ? place.write(value) : value;
  });
}

/** The fields that a body names, at any path. */
export function readBody<Table extends FieldTable>(table: Table, body: object): Changed<Table> {
  const read = placesIn(table).flatMap(([name, , place]): [string, unknown][] => {
    const written = place.at
      .split(".")
      .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), body);
    return written === undefined ? [] : [[name, place.read ? place.read(written) : written]];
  });
  return Object.fromEntries(read) as Changed<Table>;
}

/** Names of the fields in messages. */
export function namesOf(table: FieldTable): Readonly<Record<string, string>> {
  return Object.fromEntries(placesIn(table).map(([name, , { at }]) => [name, at]));
}

function membersBelow<Made>(
  table: FieldTable,
  path: string,
  make: (field: Field, place: RestV2Place<unknown>, name: string) => Made | undefined,
): Readonly<Record<string, Made>> {
  const within = placesIn(table).flatMap(([name, field, place]): [string, Made][] => {
    const keys = place.at.split(".");
    const last = keys.pop() ?? "";
    const made = keys.join(".") === path ? make(field, place, name) : undefined;
    return made === undefined ? [] : [[last, made]];
  });
  return Object.fromEntries(within);
}

function placesIn(table: FieldTable) {
  return Object.entries(table).flatMap(([name, field]) => {
    const { restV2 } = field;
    if (restV2 === undefined) return [];
    const place: RestV2Place<unknown> = typeof restV2 === "string" ? { at: restV2 } : restV2;
    return [[name, field, place] as const];
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
