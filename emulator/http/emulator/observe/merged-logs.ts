/** The lines of all replicas as one log: older lines by time, then new lines as they arrive. */
import type { EventFrame } from "../../../core/observe/event-frames.ts";
import type { Told } from "../../replicas/followed-replica.ts";

/** Tells another replica that all older lines of this one were sent. */
export const KEPT = "id: kept\n\n";

const NOTES = {
  missing: "the replica does not answer: its lines are missing",
  back: "the replica answers again",
};

export interface MergedLogsOptions {
  /** Wall clock, ms. */
  readonly now: () => number;
  readonly tail: number;
  /** Replicas that are followed from the beginning. */
  readonly replicas: readonly string[];
}

export class MergedLogs {
  readonly #options: MergedLogsOptions;
  /** Older lines of each replica, oldest first, until all have arrived. */
  readonly #kept: Map<string, string[]>;
  /** Replicas whose older lines are still being read. */
  readonly #telling: Set<string>;
  /** Lines that arrived while older lines were being read. */
  #since: string[] = [];
  #isComplete = false;

  constructor(options: MergedLogsOptions) {
    this.#options = options;
    this.#telling = new Set(options.replicas);
    this.#kept = new Map(options.replicas.map((id) => [id, []]));
  }

  /** True once the older lines are written. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  written(told: readonly Told[]): string {
    for (const each of told) {
      if ("note" in each) this.#noted(each);
      else this.#told(each.replica, each.frame);
    }
    if (this.#telling.size > 0) return "";
    const { tail } = this.#options;
    const kept = tail === 0 ? [] : byTime([...this.#kept.values()]).slice(-tail);
    const lines = [...kept, ...this.#since];
    this.#kept.clear();
    this.#since = [];
    this.#isComplete = true;
    return lines.map((line) => `event: log\ndata: ${line}\n\n`).join("");
  }

  #told(replica: string, { type, data }: EventFrame): void {
    if (type !== "log") {
      this.#telling.delete(replica);
      return;
    }
    const line = `${data.slice(0, -1)},"replica":${JSON.stringify(replica)}}`;
    const lines = this.#telling.has(replica) ? this.#kept.get(replica) : this.#since;
    lines?.push(line);
  }

  #noted({ replica, note }: Extract<Told, { readonly note: unknown }>): void {
    if (note === "missing" || note === "gone") this.#telling.delete(replica);
    if (note !== "missing" && note !== "back") return;
    const time = new Date(this.#options.now()).toISOString();
    this.#since.push(JSON.stringify({ time, level: "warn", msg: NOTES[note], replica }));
  }
}

/** Merges lists of lines by their times; each list keeps its order. */
function byTime(lists: readonly (readonly string[])[]): readonly string[] {
  const rest = lists.map((lines) => ({ lines, at: 0 }));
  const next = ({ lines, at }: (typeof rest)[number]) => timeOf(lines[at]);
  const merged: string[] = [];
  for (;;) {
    const left = rest.filter(({ lines, at }) => at < lines.length);
    const [first] = left.toSorted((one, other) => (next(one) < next(other) ? -1 : 1));
    const line = first?.lines[first.at];
    if (first === undefined || line === undefined) return merged;
    merged.push(line);
    first.at += 1;
  }
}

/** The time is the first member of a line. */
function timeOf(line = ""): string {
  return /^\{"time":"([^"]*)"/u.exec(line)?.[1] ?? "";
}
