/** Pages of lists, newest first. The cursor stays valid while items come and go (live; its content is ours). */
import { z } from "zod";
import type { QueryParameters } from "../../../core/input/query-parameters.ts";
import { notFitting } from "./problem.ts";
import { integerParameterV2, readParameters } from "./read-closed.ts";

const LIMIT_MAX = 1_000;

export const pageParameters = {
  limit: integerParameterV2(1, LIMIT_MAX)
    .default(LIMIT_MAX)
    .meta({ description: "Maximum number of items in the answer." }),
  cursor: z.string().optional().meta({ description: "The `nextCursor` of the previous page." }),
};

export const paginationSchema = z
  .strictObject({
    nextCursor: z.string().nullable(),
    hasNextPage: z.boolean(),
  })
  .meta({ id: "Pagination" });

/** Position of an item in a list: later moments first, and greater ids first within one moment. */
export interface PlaceInList {
  /** A text that grows with time, such as ISO 8601; empty if unknown. */
  readonly at: string;
  readonly id: string;
}

export interface Page<Thing> {
  readonly shown: readonly Thing[];
  readonly pagination: z.infer<typeof paginationSchema>;
}

/**
 * The page that the query selects.
 * @throws ServiceError unprocessable
 */
export function pageOf<Thing>(
  things: readonly Thing[],
  query: QueryParameters,
  placeOf: (thing: Thing) => PlaceInList,
): Page<Thing> {
  const { limit, cursor } = readParameters(pageParameters, query);
  const after = cursor === undefined ? undefined : placeAt(cursor);
  const placed = things.map((thing) => ({ thing, place: placeOf(thing) }));
  const left = after ? placed.filter(({ place }) => newerFirst(after, place) < 0) : placed;
  const page = left.toSorted((a, b) => newerFirst(a.place, b.place)).slice(0, limit);
  const hasNextPage = left.length > page.length;
  const last = page.at(-1);
  return {
    shown: page.map(({ thing }) => thing),
    pagination: { nextCursor: hasNextPage && last ? cursorAt(last.place) : null, hasNextPage },
  };
}

function newerFirst(a: PlaceInList, b: PlaceInList): number {
  if (a.at !== b.at) return a.at > b.at ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id > b.id ? -1 : 1;
}

function cursorAt({ at, id }: PlaceInList): string {
  return Buffer.from(JSON.stringify([at, id])).toString("base64url");
}

const written = z.tuple([z.string(), z.string()]);

function placeAt(cursor: string): PlaceInList {
  const result = written.safeParse(parsed(Buffer.from(cursor, "base64url").toString()));
  if (!result.success) throw notFitting(["parameter 'cursor': is not the nextCursor of a page"]);
  const [at, id] = result.data;
  return { at, id };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
