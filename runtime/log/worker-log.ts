/** The worker's own log: one line an entry on standard error, as JSON or for a reader. */
import type { Writable } from "node:stream";

export type LogFormat = "json" | "pretty";
/** From the least to the most important. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type WorkerLogLevel = (typeof LOG_LEVELS)[number];

/** What an entry may carry beside its message; `jobId` and `stream` mark what a handler printed. */
export type LogEntryFields = Readonly<Record<string, unknown>>;

export interface WorkerLog {
  write(level: WorkerLogLevel, msg: string, fields?: LogEntryFields): void;
}

/** Text that may wait for whoever reads the log; what comes on top of it is dropped and counted. */
const BACKLOG_BYTES = 4_000_000;

/**
 * JSON lines are `{"time": ms since 1970, "level", "msg", …fields}`.
 *
 * @param least the least level that is written
 */
export function openWorkerLog(
  format: LogFormat,
  to: Writable = process.stderr,
  least: WorkerLogLevel = "debug",
): WorkerLog {
  const written = new Set(LOG_LEVELS.slice(LOG_LEVELS.indexOf(least)));
  const render = format === "json" ? jsonLine : prettyLine;
  let dropped = 0;
  return {
    write(level, msg, fields) {
      if (!written.has(level)) return;
      if (to.writableLength > BACKLOG_BYTES) {
        dropped++;
        return;
      }
      if (dropped > 0) {
        to.write(render("warn", `${dropped} log entries were dropped`, undefined));
        dropped = 0;
      }
      to.write(render(level, msg, fields));
    },
  };
}

function jsonLine(level: WorkerLogLevel, msg: string, fields: LogEntryFields | undefined): string {
  return `${JSON.stringify({ time: Date.now(), level, msg, ...fields })}\n`;
}

function prettyLine(
  level: WorkerLogLevel,
  msg: string,
  fields: LogEntryFields | undefined,
): string {
  const time = new Date().toISOString().slice(11, 23);
  const { jobId, stream: _, ...rest } = fields ?? {};
  const job = typeof jobId === "string" ? ` [${jobId}]` : "";
  const more = Object.keys(rest).length === 0 ? "" : ` ${JSON.stringify(rest)}`;
  return `${time} ${level.padEnd(5)}${job} ${msg}${more}\n`;
}
