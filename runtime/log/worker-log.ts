/** The worker's own log: one line per entry on standard error, as JSON or for people. */
import type { Writable } from "node:stream";
import { failureFrames, failureSentence } from "../core/failure-text.ts";
import { isFailureType } from "../protocol/failure.ts";
import { printable, printableJson } from "../protocol/printable.ts";
import { LOG_LEVELS, type LogLevel, type WorkerLog } from "../protocol/worker-log.ts";

export type LogFormat = "json" | "pretty";
type LogFields = Parameters<WorkerLog["write"]>[2];

/** Maximum bytes of text that wait for the reader of the log; further text is dropped and counted. */
const BACKLOG_BYTES = 4_000_000;

/**
 * JSON lines are `{"time": ms since 1970, "level", "msg", …fields}`.
 *
 * @param least the lowest level that is written
 */
export function openWorkerLog(
  format: LogFormat,
  to: Writable = process.stderr,
  least: LogLevel = "debug",
): WorkerLog {
  const written = new Set(LOG_LEVELS.slice(LOG_LEVELS.indexOf(least)));
  const render = format === "json" ? jsonLine : prettyLine;
  let dropped = 0;
  // Without a reader, or on a full disk, the log ends, not the worker.
  if (to.listenerCount("error") === 0) to.on("error", () => undefined);
  const tellDropped = () => {
    if (dropped === 0) return;
    to.write(render("warn", `${dropped} log entries were dropped`, undefined));
    dropped = 0;
  };
  return {
    write(level, msg, fields) {
      if (!written.has(level)) return;
      if (to.writableLength > BACKLOG_BYTES) {
        if (dropped === 0) to.once("drain", tellDropped);
        dropped++;
        return;
      }
      tellDropped();
      to.write(render(level, msg, fields));
    },
  };
}

function jsonLine(level: LogLevel, msg: string, fields: LogFields): string {
  return `${printableJson(JSON.stringify({ time: Date.now(), level, msg, ...fields }))}\n`;
}

function prettyLine(level: LogLevel, msg: string, fields: LogFields): string {
  const time = new Date().toISOString().slice(11, 23);
  const { jobId, stream: _, stack, ...rest } = fields ?? {};
  const job = typeof jobId === "string" ? ` [${jobId}]` : "";
  const { said, more } = inWords(msg, stack, rest);
  const shown = Object.keys(more).length === 0 ? "" : ` ${JSON.stringify(more)}`;
  const frames = typeof stack === "string" ? failureFrames({ stack }, { cwd: process.cwd() }) : [];
  const lines = [
    `${time} ${level.padEnd(5)}${job} ${said}${shown}`,
    ...frames.map((frame) => `    ${frame}`),
  ];
  // The output of a handler keeps its colours.
  return `${printable(lines.join("\n"), true)}\n`;
}

/** A failure in the words of `sv-emulate`. */
function inWords(message: string, stack: unknown, fields: Readonly<Record<string, unknown>>) {
  const { type, outcome, ...more } = fields;
  if (typeof type !== "string" || !isFailureType(type)) return { said: message, more: fields };
  const failure = { type, message, ...(typeof stack === "string" && { stack }) };
  return {
    said: `${typeof outcome === "string" ? outcome : "failed"}: ${failureSentence(failure)}`,
    more,
  };
}
