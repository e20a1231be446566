/** Keeps the newest log lines of the service and its workers in bounded memory, for reading and following. */
import { guarded, type OnDefect } from "../../core/guarded.ts";
import { type AttemptEnd, attemptEntry } from "../../core/observe/log/attempt-end.ts";
import type { LogEntry, LogFields, LogLevel } from "../../core/observe/log/log-entry.ts";
import { readWorkerLine, type WrittenLine } from "../../core/observe/log/worker-line.ts";
import { serialAt } from "../../core/observe/log/streamed-line.ts";
import type { EngineLog } from "./engine-log.ts";

/** Maximum number of kept lines, and of characters of workers' lines. */
const MOST_LINES = 2_000;
const MOST_CHARACTERS = 2_000_000;

/** A line that is parsed only when it is read: most lines of handlers are never read. */
export interface LoggedLine {
  /** The number of the line: higher than all numbers before, including those of earlier runs and other replicas. */
  readonly serial: number;
  /** Undefined for a line without an endpoint. */
  readonly endpointId: string | undefined;
  /** Undefined for a line that no worker wrote. */
  readonly workerId?: string;
  /** The worker or pod that the line comes from or is about. Undefined for other lines. */
  readonly subjectId: string | undefined;
  readonly characters: number;
  entry(): LogEntry;
}

type Listener = (line: LoggedLine) => void;

export class LogFeed {
  /** Wall clock, ms since 1970. */
  readonly #now: () => number;
  readonly #onDefect: OnDefect;
  readonly #listeners = new Set<Listener>();
  #kept: LoggedLine[] = [];
  /** The index of the first line that is still kept. */
  #first = 0;
  #characters = 0;
  #serial = 0;

  constructor(now: () => number, onDefect: OnDefect) {
    this.#now = now;
    this.#onDefect = onDefect;
  }

  /** Keeps what is logged to `log` as well. */
  alongside(log: EngineLog | undefined): EngineLog {
    const both = (level: "info" | "warn" | "error") => (fields: LogFields, message: string) => {
      this.#serviceLine(level, fields, message);
      log?.[level](fields, message);
    };
    return { info: both("info"), warn: both("warn"), error: both("error") };
  }

  workerLine(written: WrittenLine): void {
    const at = this.#now();
    const { endpointId, workerId, line } = written;
    const entry = () => readWorkerLine(written, at);
    const subjectId = workerId;
    this.#keep(at, { endpointId, workerId, subjectId, characters: line.length, entry });
  }

  /** Only failures are kept: the many good ends would push them out. */
  attemptEnded(end: AttemptEnd): void {
    const at = this.#now();
    const { endpointId, failure } = end;
    const characters = (failure?.message.length ?? 0) + (failure?.stack?.length ?? 0);
    const entry = () => attemptEntry(end, at);
    this.#keep(at, { endpointId, subjectId: failure?.workerId, characters, entry });
  }

  /** The newest lines, oldest first: at most `count`, of all endpoints or of one. */
  newest(count: number, endpointId: string | undefined): readonly LoggedLine[] {
    const lines = this.#kept.slice(this.#first).filter((line) => concerns(line, endpointId));
    return count === 0 ? [] : lines.slice(-count);
  }

  /** The newest lines of each worker by its id, oldest first: at most `count` of each, of all endpoints or of one. */
  newestOfWorkers(
    count: number,
    endpointId: string | undefined,
  ): ReadonlyMap<string, readonly LoggedLine[]> {
    const byWorker = new Map<string, LoggedLine[]>();
    for (let at = this.#kept.length - 1; at >= this.#first; at -= 1) {
      const line = this.#kept[at];
      if (line?.workerId === undefined || !concerns(line, endpointId)) continue;
      const lines = byWorker.get(line.workerId) ?? [];
      if (lines.length < count) byWorker.set(line.workerId, [line, ...lines]);
    }
    return byWorker;
  }

  /** All kept lines of or about that worker or pod, oldest first. */
  linesOf(subjectId: string): readonly LoggedLine[] {
    return this.#kept.slice(this.#first).filter((line) => line.subjectId === subjectId);
  }

  /** Calls `listener` with every line from now on, of all endpoints or of one, until the returned function is called. */
  follow(endpointId: string | undefined, listener: Listener): () => void {
    return this.#follow((line) => concerns(line, endpointId), listener);
  }

  /** Calls `listener` with every line of or about that worker or pod. */
  followSubject(subjectId: string, listener: Listener): () => void {
    return this.#follow((line) => line.subjectId === subjectId, listener);
  }

  #follow(isWanted: (line: LoggedLine) => boolean, listener: Listener): () => void {
    const each = (line: LoggedLine) => (isWanted(line) ? listener(line) : undefined);
    const wanted = guarded(each, this.#onDefect);
    this.#listeners.add(wanted);
    return () => void this.#listeners.delete(wanted);
  }

  #serviceLine(level: LogLevel, fields: LogFields, message: string): void {
    const at = this.#now();
    const { endpointId, workerId, podId } = fields;
    this.#keep(at, {
      endpointId: textOf(endpointId),
      subjectId: textOf(workerId) ?? textOf(podId),
      characters: message.length,
      entry: () => ({ at, level, message, fields }),
    });
  }

  get #keepsTooMuch(): boolean {
    return this.#kept.length - this.#first > MOST_LINES || this.#characters > MOST_CHARACTERS;
  }

  #keep(at: number, kept: Omit<LoggedLine, "serial">): void {
    this.#serial = Math.max(this.#serial + 1, serialAt(at));
    const line = { ...kept, serial: this.#serial };
    this.#kept.push(line);
    this.#characters += line.characters;
    while (this.#first < this.#kept.length && this.#keepsTooMuch) {
      this.#characters -= this.#kept[this.#first]?.characters ?? 0;
      this.#first += 1;
    }
    // Removes many lines at once, and seldom: this is cheaper than moving all other lines for each new one.
    if (this.#first > MOST_LINES) {
      this.#kept = this.#kept.slice(this.#first);
      this.#first = 0;
    }
    for (const listener of this.#listeners) listener(line);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function concerns(line: LoggedLine, endpointId: string | undefined): boolean {
  return endpointId === undefined || line.endpointId === endpointId;
}
