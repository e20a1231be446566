/** Merges settings from a file with changes made over the interface, at the start. Pure. */
import { changedFields } from "../input/changed-fields.ts";

/** The three states of a template or endpoint from a file. */
export interface ServedSettings<Thing> {
  readonly stored: Thing;
  /** The state in the file at the last start; undefined if unknown. */
  readonly before: Thing | undefined;
  /** The state in the file now. */
  readonly now: Thing;
}

export interface Settled<Thing> {
  readonly thing: Thing;
  /** Fields that keep their change over the interface, because the file did not change them. */
  readonly kept: readonly string[];
  /** Fields that lose their change over the interface, because the file changed them too. */
  readonly overridden: readonly string[];
}

/**
 * The newer change of each field wins (ours): the file's value if it changed since the last start, otherwise the stored value.
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
