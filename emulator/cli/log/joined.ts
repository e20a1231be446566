/** What comes in crowds: the first few of a second are shown one by one, the others counted until it is over. */
import type { AttemptEnd } from "../../core/observe/log/attempt-end.ts";
import type { LineOf } from "./attempt-lines.ts";
import { Tally } from "./tally.ts";

const SECOND_MS = 1_000;
/** Lines for the counts of one second; the endpoints beyond share the last one. */
const MOST_LINES = 5;

/** Those that ended alike in one second. */
export interface Crowd extends LineOf {
  readonly tally: Tally;
  last: AttemptEnd;
  /** Over how many endpoints. */
  endpoints: number;
}

export class Joined {
  /** Lines of a second that are shown one by one. */
  readonly #most: number;
  readonly #tell: (crowd: Crowd, wereShown: boolean, at: number) => string;
  readonly #crowds = new Map<string, Crowd>();
  #startedAt: number | undefined;
  #shown = 0;
  /** The second before brought more than are shown one by one, so that all of this one are counted. */
  #isCrowded = false;

  constructor(most: number, tell: (crowd: Crowd, wereShown: boolean, at: number) => string) {
    this.#most = most;
    this.#tell = tell;
  }

  /** Takes one more. Returns whether it is to be shown by itself. Call `due` before. */
  add(end: AttemptEnd, at: number): boolean {
    this.#startedAt ??= at;
    if (!this.#isCrowded && this.#shown < this.#most) {
      this.#shown += 1;
      return true;
    }
    const { outcome, endpointId, isTriedAgain } = end;
    const key = `${outcome} ${isTriedAgain} ${endpointId}`;
    let crowd = this.#crowds.get(key);
    if (crowd === undefined) {
      crowd = { outcome, endpointId, isTriedAgain, tally: new Tally(), last: end, endpoints: 1 };
      this.#crowds.set(key, crowd);
    }
    crowd.last = end;
    crowd.tally.add(end.durationMs);
    return false;
  }

  /** What is said at the end of a second, once it has come, or with `isEnd` at once. */
  due(at: number, isEnd = false): string {
    if (this.#startedAt === undefined) return "";
    const elapsedMs = at - this.#startedAt;
    // A wall clock may be set back.
    if (!isEnd && elapsedMs >= 0 && elapsedMs < SECOND_MS) return "";
    const crowds = fewer([...this.#crowds.values()]);
    const text = crowds.map((crowd) => this.#tell(crowd, this.#shown > 0, at)).join("");
    const count = crowds.reduce((sum, { tally }) => sum + tally.count, 0);
    this.#isCrowded = count > this.#most && elapsedMs < 2 * SECOND_MS;
    this.#startedAt = this.#isCrowded ? at : undefined;
    this.#shown = 0;
    this.#crowds.clear();
    return text;
  }

  /** When there is something to be said; undefined where nothing is counted. */
  nextDueAt(): number | undefined {
    if (this.#startedAt === undefined || this.#crowds.size === 0) return undefined;
    return this.#startedAt + SECOND_MS;
  }
}

/** The largest, and of the others one for each outcome. */
function fewer(crowds: readonly Crowd[]): readonly Crowd[] {
  if (crowds.length <= MOST_LINES) return crowds;
  const sorted = crowds.toSorted((a, b) => b.tally.count - a.tally.count);
  const rest = new Map<string, Crowd>();
  for (const crowd of sorted.slice(MOST_LINES - 1)) {
    const kind = `${crowd.outcome} ${crowd.isTriedAgain}`;
    const other = rest.get(kind);
    if (other === undefined) rest.set(kind, crowd);
    else {
      other.tally.addAll(crowd.tally);
      other.last = crowd.last;
      other.endpoints += 1;
    }
  }
  return [...sorted.slice(0, MOST_LINES - 1), ...rest.values()];
}
