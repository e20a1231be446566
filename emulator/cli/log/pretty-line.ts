/** Formats log entries as short lines: output of handlers behind a bar, other entries as sentences with a few values. */
import type { LogEntry, LogLevel, WorkerOrigin } from "../../core/observe/log/log-entry.ts";
import { printable } from "../../../runtime/protocol/printable.ts";
import { painter, type Style } from "../terminal-text.ts";

export interface PrettyOptions {
  readonly colors: boolean;
  /** Whether errors are shown with their stacks. */
  readonly stacks: boolean;
}

const LEVEL_STYLES: Readonly<Record<LogLevel, Style>> = {
  debug: "dim",
  info: "cyan",
  warn: "yellow",
  error: "red",
};

export function prettyLine(entry: LogEntry, options: PrettyOptions): string {
  const paint = painter(options.colors);
  const { at, level, message, origin } = entry;
  const parts = [paint("dim", clockTime(at))];
  if (origin !== undefined) parts.push(paint("magenta", origin.endpointId), markOf(origin));
  // Output of a handler is mostly "info", which says nothing.
  if (level !== "info" || origin === undefined) parts.push(paint(LEVEL_STYLES[level], level));
  parts.push(printable(message, options.colors));
  const fields = fieldsInWords(entry, options.stacks);
  if (fields !== "") parts.push(paint("dim", printable(fields, options.colors)));
  return `${parts.join(" ")}\n`;
}

/** The source of a line: a bar behind the job for its handler, or the worker. */
function markOf({ source, jobId, workerId }: WorkerOrigin): string {
  if (source === "worker") return `worker ${shortId(workerId)}:`;
  return jobId === undefined ? "|" : `${shortId(jobId)} |`;
}

/** The end of an id. Its beginning is a time, which neighbours share. */
export function shortId(id: string): string {
  return id.length <= MAX_ID_CHARACTERS ? id : `…${id.slice(-MAX_ID_CHARACTERS)}`;
}

const MAX_ID_CHARACTERS = 14;

export function clockTime(at: number): string {
  const date = new Date(at);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()];
  const time = parts.map((part) => String(part).padStart(2, "0")).join(":");
  return `${time}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

function fieldsInWords({ fields, origin }: LogEntry, stacks: boolean): string {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .filter(([name]) => stacks || name !== "stack")
    .filter(([name]) => origin === undefined || !Object.hasOwn(origin, name))
    .map(([name, value]) => `${name}=${valueInWords(value, stacks)}`)
    .join(" ");
}

function valueInWords(value: unknown, stacks: boolean): string {
  if (value instanceof Error) return (stacks && value.stack) || `${value.name}: ${value.message}`;
  if (typeof value === "string") return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
