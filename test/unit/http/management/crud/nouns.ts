/** What the suite of all dialects needs to know of each kind of resource. */
import { z } from "zod";
import {
  type Field,
  type FieldTable,
  kindOf,
} from "../../../../../emulator/core/resources/fields.ts";
import type { TestHttp } from "../../http-harness.ts";
import type { Dialect, Driver, Thing } from "./drivers.ts";

/**
 * Fields of an input, and what it is refused with: the sentence of `/v1`, or its status, code and sentence; the refusal of REST
 * v2; that of GraphQL, by default the sentence of `/v1` if REST v2 has one. Null: the dialect cannot say it, or takes it.
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
  /** Fields that make one, beside its name. */
  readonly least: Thing;
  /** Every field that all dialects have. */
  readonly full: (given: Given) => Thing;
  /** Another value for each field that all dialects can change. */
  readonly changed: Thing;
  /** The dialect that can change none. */
  readonly unchangedIn?: Dialect;
  /** Values that take away what was there. */
  readonly emptied?: Thing;
  /** Refusal of an unknown id, for reading, changing and deleting. */
  readonly unknown: Readonly<Partial<Record<Dialect, string>>>;
  readonly refused: readonly RefusedRow[];
  readonly refusedChanges: readonly RefusedRow[];
  /** The refusal of a name that exists and does not fit. */
  readonly misnamed?: (given: Given) => RefusedRow;
  /** Fields of a template, and those that one of it says itself. */
  readonly ofTemplate?: readonly [template: Thing, own: Thing];
  /** Fields of one that can be used, and whose changes can break a rule. */
  readonly usable?: Thing;
  /** Makes something that uses it; answers its path, and what a deletion is refused with meanwhile. */
  readonly use?: (
    service: TestHttp,
    one: Thing,
  ) => Promise<readonly [path: string, refusal: string]>;
}

/** Ids of what is there. */
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

/** A key that the resource has not. @param meant what it reads like */
export function unknownKey(key: string, meant?: string): RefusedRow {
  const v1 = `the key "${key}" is unknown${meant === undefined ? "" : `; did you mean ${meant}?`}`;
  return [{ [key]: "x" }, v1, `422 $: additional properties '${key}' not`, `Field "${key}" is not`];
}

export const UNKNOWN_REGISTRY: RefusedRow = [
  { containerRegistryAuthId: "none" },
  'containerRegistryAuthId names no container registry auth: "none"',
  '400 registry names no container registry auth: "none"',
];

/** For each field of a table a value below its bounds and one above, or one that has not its form; each dialect names the field as it calls it. */
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
  // Words that a dialect has others for cannot be wrong there.
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
