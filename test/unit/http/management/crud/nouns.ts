/** Facts about each kind of resource for the suite of all dialects. */
import { z } from "zod";
import {
  type Field,
  type FieldTable,
  kindOf,
} from "../../../../../emulator/core/resources/fields.ts";
import type { TestHttp } from "../../http-harness.ts";
import type { Dialect, Driver, Thing } from "./drivers.ts";

/**
 * Fields of an input and their refusals: the message of `/v1`, or its status, code and message; the refusal of
 * REST v2; that of GraphQL, by default the message of `/v1` if REST v2 has one. Null: the dialect cannot express
 * the input, or accepts it.
 */
export type RefusedRow = readonly [
  fields: Thing,
  v1: string | null,
  v2?: string | null,
  graphql?: string | null,
];

export interface Noun {
  readonly noun: string;
  readonly drivers: (service: TestHttp) => Readonly<Partial<Record<Dialect, Driver>>>;
  /** Fields that create one, besides its name. */
  readonly least: Thing;
  /** Every field that all dialects have. */
  readonly full: (given: Given) => Thing;
  /** Another value for each field that all dialects can change. */
  readonly changed: Thing;
  /** The dialect without changes. */
  readonly unchangedIn?: Dialect;
  /** Values that empty a field. */
  readonly emptied?: Thing;
  /** Refusal of an unknown id when it is read, changed or deleted. */
  readonly unknown: Readonly<Partial<Record<Dialect, string>>>;
  readonly refused: readonly RefusedRow[];
  readonly refusedChanges: readonly RefusedRow[];
  /** The refusal of a name that exists with another type. */
  readonly misnamed?: (given: Given) => RefusedRow;
  /** Fields of a template, and those that one of its resources sets itself. */
  readonly ofTemplate?: readonly [template: Thing, own: Thing];
  /** Fields of a usable one with changes that can break a rule. */
  readonly usable?: Thing;
  /** Creates a resource that uses it; returns its path, and the refusal of a deletion meanwhile. */
  readonly use?: (
    service: TestHttp,
    one: Thing,
  ) => Promise<readonly [path: string, refusal: string]>;
}

/** Ids of existing resources. */
export interface Given {
  readonly registryId: string;
  readonly volumeIds: readonly string[];
  /** A template of pods, which is named "pod". */
  readonly podTemplateId: string;
}

export function refusalIn(dialect: Dialect, [, v1, v2 = null, graphql]: RefusedRow) {
  if (dialect === "v1") return v1 && (/^\d/u.test(v1) ? v1 : `400 invalid_request ${v1}`);
  if (dialect === "v2") return v2;
  return graphql === undefined && v2 !== null ? v1 : (graphql ?? null);
}

/**
 * An unknown key.
 * @param meant the key that it resembles
 */
export function unknownKey(key: string, meant?: string): RefusedRow {
  const v1 = `the key "${key}" is unknown${meant === undefined ? "" : `; did you mean ${meant}?`}`;
  return [{ [key]: "x" }, v1, `422 $: additional properties '${key}' not`, `Field "${key}" is not`];
}

export const UNKNOWN_REGISTRY: RefusedRow = [
  { containerRegistryAuthId: "none" },
  'containerRegistryAuthId names no container registry auth: "none"',
  '400 registry names no container registry auth: "none"',
];

/**
 * For each field of a table: a value below its bounds and one above, or one with a wrong form; the dialect's own
 * name of the field is in each refusal.
 */
export function beyondBounds(table: FieldTable): readonly RefusedRow[] {
  return Object.entries(table).flatMap(([name, field]) => {
    const { restV2, graphql } = field;
    const at = typeof restV2 === "object" ? restV2.at : restV2;
    const called = graphql === false ? null : (graphql?.name ?? name);
    return wrongValues(field).map((value): RefusedRow => [
      { [name]: value },
      name,
      at ?? null,
      called,
    ]);
  });
}

function wrongValues({ schema, shows, restV2, graphql }: Field): readonly unknown[] {
  // A dialect with its own words cannot get these wrong.
  const isWord = [restV2, graphql].some((place) => typeof place === "object" && "read" in place);
  if (shows !== undefined && !(shows instanceof z.ZodNumber)) return [];
  const kind = kindOf(schema, true);
  if (kind instanceof z.ZodNumber)
    return [(kind.minValue ?? 0) - 1, (kind.maxValue ?? 0) + 1].filter(isWrong);
  if (kind instanceof z.ZodArray) return [["?"]].filter(isWrong);
  return isWord ? [] : ["?"].filter(isWrong);

  function isWrong(value: unknown): boolean {
    return !schema.safeParse(value).success;
  }
}
