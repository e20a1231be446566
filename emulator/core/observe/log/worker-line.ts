/** Reads workers' lines: JSON of the worker program, which also wraps its handler's output; otherwise plain text. */
import { LATEST_INSTANT } from "../../time/iso.ts";
import { LOG_LEVELS, type LogEntry, type LogFields } from "./log-entry.ts";

export interface WrittenLine {
  readonly workerId: string;
  readonly endpointId: string;
  readonly line: string;
}

/** @param now time of lines without one, ms since 1970 */
export function readWorkerLine({ endpointId, workerId, line }: WrittenLine, now: number): LogEntry {
  const written = parseObject(line);
  const level = LOG_LEVELS.find((known) => known === written?.["level"]);
  if (written === undefined || level === undefined || typeof written["msg"] !== "string") {
    const origin = { source: "worker", endpointId, workerId } as const;
    return { at: now, level: "info", message: line, fields: {}, origin };
  }
  const { time, level: _, msg: message, jobId, stream, fields, ...others } = written;
  const isHandlers = stream === "stdout" || stream === "stderr";
  return {
    at: isMoment(time) ? time : now,
    level,
    message,
    // A handler's own fields are together; the worker program's are beside the rest.
    fields: { ...others, ...(isObject(fields) && fields) },
    origin: {
      source: isHandlers ? "handler" : "worker",
      endpointId,
      workerId,
      ...(typeof jobId === "string" && { jobId }),
      ...(isHandlers && { stream }),
    },
  };
}

function isMoment(time: unknown): time is number {
  return typeof time === "number" && Math.abs(time) <= LATEST_INSTANT;
}

function parseObject(line: string): LogFields | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is LogFields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
