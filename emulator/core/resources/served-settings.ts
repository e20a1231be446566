/** Merges, at the start, what a file says of an endpoint with what was changed over the interface since. Pure. */
import { changedFields } from "../input/changed-fields.ts";

/** The parts of one thing, a template or an endpoint, that has a file behind it. */
export interface ServedSettings<Thing> {
  /** As it is stored. */
  readonly stored: Thing;
  /** What the file said at the last start; undefined if that is not known. */
  readonly before: Thing | undefined;
  /** What the file says now. */
  readonly now: Thing;
}

export interface Settled<Thing> {
  readonly thing: Thing;
  /** Fields that stay as they were changed over the interface, because the file says of them what it said before. */
  readonly kept: readonly string[];
  /** Fields in which a change made over the interface gives way, because the file says something new of them. */
  readonly overridden: readonly string[];
}

/**
 * For each field the newer word counts (ours): that of the file if it says something else than at the last start,
 * otherwise what is stored.
 */
export function settleServed<Thing extends object>({
  stored,
  before,
  now,
}: ServedSettings<Thing>): Settled<Thing> {
  if (before === undefined) return { thing: now, kept: [], overridden: [] };
  const changedInFile = changedFields(before, now);
  const changedOverInterface = changedFields(before, stored);
  const differing = changedFields(stored, now);
  const thing = { ...stored };
  for (const field of changedInFile) thing[field] = now[field];
  return {
    thing,
    kept: differing.filter((field) => !changedInFile.includes(field)),
    overridden: differing.filter(
      (field) => changedInFile.includes(field) && changedOverInterface.includes(field),
    ),
  };
}
