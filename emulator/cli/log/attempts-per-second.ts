/** Limits lines for each second: the first attempts are shown one by one, further ones are counted in groups. */
import type { AttemptEnd } from "../../core/observe/log/attempt-end.ts";
import type { LineOf } from "./attempt-lines.ts";

/** Counts durations in bounded memory, and returns their median to two digits. */
class Tally {
  #count = 0;
  readonly #byDuration = new Map<number, number>();

  get count(): number {
    return this.#count;
  }

  /** @param durationMs undefined if nothing ran */
  add(durationMs: number | undefined): void {
    this.#count += 1;
    if (durationMs === undefined) return;
    const rounded = toTwoDigits(durationMs);
    this.#byDuration.set(rounded, (this.#byDuration.get(rounded) ?? 0) + 1);
  }

  addAll({ count, byDuration }: { readonly count: number; readonly byDuration: Counts }): void {
    this.#count += count;
    for (const [ms, times] of byDuration)
      this.#byDuration.set(ms, (this.#byDuration.get(ms) ?? 0) + times);
  }

  get byDuration(): Counts {
    return this.#byDuration;
  }

  /** Undefined if nothing ran. */
  medianMs(): number | undefined {
    const sorted = [...this.#byDuration].toSorted(([a], [b]) => a - b);
    const total = sorted.reduce((sum, [, times]) => sum + times, 0);
    let seen = 0;
    for (const [ms, times] of sorted) {
      seen += times;
      if (seen * 2 >= total) return ms;
    }
    return undefined;
  }
}

type Counts = ReadonlyMap<number, number>;

function toTwoDigits(ms: number): number {
  let unit = 1;
  while (ms >= unit * 100) unit *= 10;
  return Math.round(ms / unit) * unit;
}

const SECOND_MS = 1_000;
/** Maximum lines for the groups of one second. Further endpoints share the last line. */
const MOST_LINES = 5;

/** Attempts with the same end in one second. */
export interface AttemptGroup extends LineOf {
  readonly tally: Tally;
  last: AttemptEnd;
  endpoints: number;
}

export class AttemptsPerSecond {
  /** Maximum attempts of a second that are shown one by one. */
  readonly #most: number;
  readonly #tell: (group: AttemptGroup, wereShown: boolean, at: number) => string;
  readonly #groups = new Map<string, AttemptGroup>();
  #startedAt: number | undefined;
  #shown = 0;
  /** True if the previous second had more. Then all attempts of this one are counted. */
  #isFull = false;

  constructor(most: number, tell: (group: AttemptGroup, wereShown: boolean, at: number) => string) {
    this.#most = most;
    this.#tell = tell;
  }

  /** Takes an attempt. Returns whether to show it by itself. Call `due` first. */
  add(end: AttemptEnd, at: number): boolean {
    this.#startedAt ??= at;
    if (!this.#isFull && this.#shown < this.#most) {
      this.#shown += 1;
      return true;
    }
    const { outcome, endpointId, isTriedAgain } = end;
    const key = `${outcome} ${isTriedAgain} ${endpointId}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { outcome, endpointId, isTriedAgain, tally: new Tally(), last: end, endpoints: 1 };
      this.#groups.set(key, group);
    }
    group.last = end;
    group.tally.add(end.durationMs);
    return false;
  }

  /** The lines at the end of a second, or with `isEnd` at once. */
  due(at: number, isEnd = false): string {
    if (this.#startedAt === undefined) return "";
    const elapsedMs = at - this.#startedAt;
    // The wall clock may be set back.
    if (!isEnd && elapsedMs >= 0 && elapsedMs < SECOND_MS) return "";
    const groups = fewer([...this.#groups.values()]);
    const text = groups.map((group) => this.#tell(group, this.#shown > 0, at)).join("");
    const count = groups.reduce((sum, { tally }) => sum + tally.count, 0);
    this.#isFull = count > this.#most && elapsedMs < 2 * SECOND_MS;
    this.#startedAt = this.#isFull ? at : undefined;
    this.#shown = 0;
    this.#groups.clear();
    return text;
  }

  /** When there are lines; undefined if nothing is counted. */
  nextDueAt(): number | undefined {
    if (this.#startedAt === undefined || this.#groups.size === 0) return undefined;
    return this.#startedAt + SECOND_MS;
  }
}

/** The largest groups, and one for each outcome of the others. */
function fewer(groups: readonly AttemptGroup[]): readonly AttemptGroup[] {
  if (groups.length <= MOST_LINES) return groups;
  const sorted = groups.toSorted((a, b) => b.tally.count - a.tally.count);
  const rest = new Map<string, AttemptGroup>();
  for (const group of sorted.slice(MOST_LINES - 1)) {
    const kind = `${group.outcome} ${group.isTriedAgain}`;
    const other = rest.get(kind);
    if (other === undefined) rest.set(kind, group);
    else {
      other.tally.addAll(group.tally);
      other.last = group.last;
      other.endpoints += 1;
    }
  }
  return [...sorted.slice(0, MOST_LINES - 1), ...rest.values()];
}
