/** One entry of the log as the command line shows it: the service's own, or a line that one of its workers wrote. */

export type LogFields = Readonly<Record<string, unknown>>;

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogEntry {
  /** When it was written, ms since 1970. */
  readonly at: number;
  readonly level: LogLevel;
  readonly message: string;
  /** Data for machines. */
  readonly fields: LogFields;
  /** Set on what a worker wrote; absent on what the service itself says. */
  readonly origin?: WorkerOrigin;
}

export interface WorkerOrigin {
  /** `handler`: printed or logged by the handler; `worker`: said by the program around it. */
  readonly source: "handler" | "worker";
  readonly endpointId: string;
  readonly workerId: string;
  /** The job it was written for, where that is known. */
  readonly jobId?: string;
  readonly stream?: "stdout" | "stderr";
}
