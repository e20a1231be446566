/** Finds dependent steps: a step rests on earlier steps that changed a place of memory which it reads or changes. */
import {
  ANYWHERE,
  type Changer,
  endpointOf,
  type Place,
  placeOfRecord,
  placeOfRecords,
  type StepChange,
} from "./step-changes.ts";

/**
 * Splits steps into independent groups: no group reads or changes a place that another group changes, so each can be stored or
 * refused alone. The order within a group stays. Steps that change nothing are left out.
 */
export function independentParts<C extends Changer>(steps: readonly C[]): readonly C[][] {
  const changing = steps.filter(({ changes }) => changes.length > 0);
  const groups = new Groups(changing.length);
  const changedBy = new Map<Place, number>();
  /** All steps before this index have been joined into one group. */
  let together = 0;
  for (const [at, step] of changing.entries()) {
    const { looked } = step;
    const changed = changedPlaces(step);
    for (const place of looked) groups.join(at, changedBy.get(place));
    for (const place of changed) groups.join(at, changedBy.get(place));
    if (looked.includes(ANYWHERE)) for (; together < at; together += 1) groups.join(at, together);
    for (const place of changed) changedBy.set(place, at);
  }
  const parts = new Map<number, C[]>();
  for (const [at, step] of changing.entries()) {
    const group = groups.of(at);
    const part = parts.get(group);
    if (part) part.push(step);
    else parts.set(group, [step]);
  }
  return [...parts.values()];
}

/** The undone steps and the steps that rest on them, in the order of `steps`. */
export function restingOn<C extends Changer>(
  takenBack: readonly Changer[],
  steps: readonly C[],
): readonly C[] {
  const isTakenBack = new Set<Changer>(takenBack);
  const lost = new Set<Place>();
  const rests = (step: C, changed: readonly Place[]) =>
    isTakenBack.has(step) ||
    changed.some((place) => lost.has(place)) ||
    step.looked.some((place) => lost.has(place) || (place === ANYWHERE && lost.size > 0));
  return steps.filter((step) => {
    const changed = changedPlaces(step);
    if (!rests(step, changed)) return false;
    for (const place of changed) lost.add(place);
    return true;
  });
}

function changedPlaces({ changes }: Changer): readonly Place[] {
  return changes.flatMap(placesOf);
}

function placesOf(change: StepChange): readonly Place[] {
  switch (change.type) {
    case "job":
    case "job-in-memory":
      return [change.job.endpointId, change.job.id];
    case "put-record":
    case "delete-record":
      return [placeOfRecord(change.kind, change.id), placeOfRecords(change.kind)];
    default:
      return [endpointOf(change) ?? change.type];
  }
}

/** Groups of numbers. Each number is in one group, at first alone (union-find). */
class Groups {
  readonly #parents: number[];

  constructor(count: number) {
    this.#parents = Array.from({ length: count }, (_, at) => at);
  }

  of(member: number): number {
    let root = member;
    for (
      let parent = this.#parents[root] ?? root;
      parent !== root;
      parent = this.#parents[root] ?? root
    )
      root = parent;
    // Compresses the path, so that the next search is short.
    for (let at = member; at !== root;) {
      const next = this.#parents[at] ?? root;
      this.#parents[at] = root;
      at = next;
    }
    return root;
  }

  join(one: number, other: number | undefined): void {
    if (other === undefined) return;
    this.#parents[this.of(one)] = this.of(other);
  }
}
