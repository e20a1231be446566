/** Finds the known name that a person most likely meant by an unknown one. */

/** Maximum edits between a misspelt name and a known one. */
const MAX_EDITS = 2;

/** The known name closest to `written`: it differs only in case, `_` and `-`, or by at most two edits. */
export function closestName(written: string, known: readonly string[]): string | undefined {
  const plain = simplify(written);
  let best: string | undefined;
  let bestEdits = MAX_EDITS + 1;
  for (const name of known) {
    const candidate = simplify(name);
    if (Math.abs(candidate.length - plain.length) > MAX_EDITS) continue;
    const edits = editDistance(plain, candidate);
    // A name as short as the maximum of edits would match everything.
    if (edits < bestEdits && edits < candidate.length / 2) {
      best = name;
      bestEdits = edits;
    }
  }
  return best;
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

/** Insertions, deletions and replacements that make `a` into `b`. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const removed = (previous[column] ?? 0) + 1;
      const added = (current[column - 1] ?? 0) + 1;
      current.push(Math.min(replaced, removed, added));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
