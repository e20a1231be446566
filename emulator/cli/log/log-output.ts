/** The log of the command line: what the service says and what its workers write, in one format, to one place. */
import type { EngineLog, WorkerLine } from "../../index.ts";
import type { LogMode } from "../serve/setting-values.ts";
import { jsonLine } from "../../core/observe/log/json-line.ts";
import type { LogEntry, LogFields, LogLevel } from "../../core/observe/log/log-entry.ts";
import { StderrSink } from "./log-sink.ts";
import { prettyLine, type PrettyOptions } from "./pretty-line.ts";
import { readWorkerLine } from "../../core/observe/log/worker-line.ts";

export interface LogOutput extends EngineLog {
  workerLine(line: WorkerLine): void;
  /** To be called last: resolves with true when everything is written, with false when nobody reads it. */
  close(): Promise<boolean>;
}

export function openLog(mode: LogMode, pretty: PrettyOptions): LogOutput {
  const render = mode === "json" ? jsonLine : (entry: LogEntry) => prettyLine(entry, pretty);
  const line = (level: LogLevel, fields: LogFields, message: string) =>
    render({ at: Date.now(), level, message, fields });
  const sink = new StderrSink((count) =>
    line("warn", { count }, "lines of the log were dropped, for they are read too slowly"),
  );
  return {
    info: (fields, message) => sink.write(line("info", fields, message)),
    warn: (fields, message) => sink.write(line("warn", fields, message)),
    error: (fields, message) => sink.write(line("error", fields, message)),
    workerLine: (written) => sink.write(render(readWorkerLine(written, Date.now()))),
    close: () => sink.close(),
  };
}
