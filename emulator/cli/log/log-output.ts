/** The log of the command line: lines of the service, lines of its workers, and ends of jobs, in one format on stderr. */
import type { AttemptEnd, EngineLog, WorkerLine } from "../../index.ts";
import type { LogMode } from "../serve/setting-values.ts";
import { attemptEntry, isTrouble } from "../../core/observe/log/attempt-end.ts";
import { jsonLine } from "../../core/observe/log/json-line.ts";
import type { LogEntry, LogFields, LogLevel } from "../../core/observe/log/log-entry.ts";
import { AttemptScreen, type AttemptScreenOptions } from "./attempt-screen.ts";
import { StderrSink } from "./log-sink.ts";
import { prettyLine } from "./pretty-line.ts";
import { readWorkerLine } from "../../core/observe/log/worker-line.ts";

export interface LogOutput extends EngineLog {
  workerLine(line: WorkerLine): void;
  attemptEnded(end: AttemptEnd): void;
  /** Call it last. Resolves with true when everything is written, with false if it is not read. */
  close(): Promise<boolean>;
}

/** @param pretty options of the pretty mode */
export function openLog(
  mode: LogMode,
  pretty: Omit<AttemptScreenOptions, "columns" | "isWhole">,
): LogOutput {
  const render = mode === "json" ? jsonLine : (entry: LogEntry) => prettyLine(entry, pretty);
  const line = (level: LogLevel, fields: LogFields, message: string) =>
    render({ at: Date.now(), level, message, fields });
  const sink = new StderrSink((count) =>
    line("warn", { count }, "lines of the log were dropped, for they are read too slowly"),
  );
  const write = (text: string) => {
    if (text !== "") sink.write(text);
  };
  const ends =
    mode === "json" ? jsonEnds(write) : screenEnds(screenOn(process.stderr, pretty), write);
  return {
    info: (fields, message) => sink.write(line("info", fields, message)),
    warn: (fields, message) => sink.write(line("warn", fields, message)),
    error: (fields, message) => sink.write(line("error", fields, message)),
    workerLine: (written) => sink.write(render(readWorkerLine(written, Date.now()))),
    attemptEnded: ends.ended,
    close: () => {
      ends.close();
      return sink.close();
    },
  };
}

/** In continuous integration, as without a terminal, only failures are shown. */
function screenOn(
  stream: NodeJS.WriteStream,
  pretty: Omit<AttemptScreenOptions, "columns" | "isWhole">,
): AttemptScreen {
  const isAutomated = !["", "0", "false"].includes(process.env["CI"] ?? "");
  return new AttemptScreen({
    ...pretty,
    isWhole: stream.isTTY && !isAutomated,
    columns: () => stream.columns || Number.POSITIVE_INFINITY,
  });
}

interface Ends {
  readonly ended: (end: AttemptEnd) => void;
  close(): void;
}

/** Writes failures only. Programs can ask the service for good ends. */
function jsonEnds(write: (text: string) => void): Ends {
  return {
    ended(end) {
      if (isTrouble(end)) write(jsonLine(attemptEntry(end, Date.now())));
    },
    close: () => undefined,
  };
}

function screenEnds(screen: AttemptScreen, write: (text: string) => void): Ends {
  let timer: NodeJS.Timeout | undefined;
  let wakesAt = Number.POSITIVE_INFINITY;
  const wake = () => {
    wakesAt = Number.POSITIVE_INFINITY;
    write(screen.due(Date.now()));
    aim();
  };
  const aim = () => {
    const at = screen.dueAt ?? Number.POSITIVE_INFINITY;
    if (at >= wakesAt) return;
    clearTimeout(timer);
    wakesAt = at;
    timer = setTimeout(wake, Math.max(0, at - Date.now())).unref();
  };
  return {
    ended(end) {
      write(screen.ended(end, Date.now()));
      aim();
    },
    close() {
      clearTimeout(timer);
      write(screen.due(Date.now(), true));
    },
  };
}
