/** The lines of all replicas as one log: what they kept by time, then what comes as it comes. */
import type { EventFrame } from "../../../core/observe/event-frames.ts";
import type { Told } from "../../replicas/followed-replica.ts";

/** What a replica tells another one after the lines that it kept. */
export const KEPT = "id: kept\n\n";

const NOTES = {
  missing: "the replica does not answer: its lines are missing",
  back: "the replica answers again",
};

export interface MergedLogsOptions {
  /** Wall clock, ms. */
  readonly now: () => number;
  /** How many kept lines there are at most. */
  readonly tail: number;
  /** Those that are followed from the beginning. */
  readonly replicas: readonly string[];
}

export class MergedLogs {
  readonly #options: MergedLogsOptions;
  /** What each replica kept, oldest first, until all have told it. */
  readonly #kept: Map<string, string[]>;
  /** Have not told all they kept. */
  readonly #telling: Set<string>;
  /** Came while others told what they kept. */
  #since: string[] = [];
  #isComplete = false;

  constructor(options: MergedLogsOptions) {
    this.#options = options;
    this.#telling = new Set(options.replicas);
    this.#kept = new Map(options.replicas.map((id) => [id, []]));
  }

  /** All that was kept is written. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** As text for the reader. */
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

/** Lists of lines as one by their times, each in its own order. */
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

/** It is the first member of each line. */
function timeOf(line = ""): string {
  return /^\{"time":"([^"]*)"/u.exec(line)?.[1] ?? "";
}
