/** An entry of the log for the command line: the service's own, or a worker's line. */

export type LogFields = Readonly<Record<string, unknown>>;

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogEntry {
  /** Time of writing, ms since 1970. */
  readonly at: number;
  readonly level: LogLevel;
  readonly message: string;
  /** Data for machines. */
  readonly fields: LogFields;
  /** Set for a worker's line; absent for the service's own. */
  readonly origin?: WorkerOrigin;
}

export interface WorkerOrigin {
  /** `handler`: printed or logged by the handler; `worker`: from the program around it. */
  readonly source: "handler" | "worker";
  readonly endpointId: string;
  readonly workerId: string;
  /** The job of the line, if known. */
  readonly jobId?: string;
  readonly stream?: "stdout" | "stderr";
}
