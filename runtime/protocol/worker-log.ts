/** The worker's log: its levels, and the port of its writer. */

/** Levels of the log, lowest first. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface WorkerLog {
  /** @param fields values beside the message; `jobId` and `stream` mark a handler's output */
  write(level: LogLevel, msg: string, fields?: Readonly<Record<string, unknown>>): void;
}
