/**
 * Adds the id of the job to the lines that a handler prints, for the supervisor.
 *
 * Native code may print to the stdout and stderr of the handler process too. A line of ours therefore begins with a record
 * separator (U+001E), a letter for its form, the job's id, and a unit separator (U+001F): `␞Pid␟text` for a printed line, `␞Sid␟text`
 * for a state of a progress bar, `␞Lid␟{…}` for an entry of `context.log`. An entry of `setup` or of the runtime has no id. Any other
 * line belongs to no known job.
 */
import { Buffer } from "node:buffer";
import { LOG_LEVELS, type LogLevel } from "../protocol/worker-log.ts";

const MARK = "\u001E";
const CLOSE = "\u001F";

/** A line for the supervisor. */
export interface HandlerLine {
  /** The job of the line. Absent if it is not known. */
  readonly jobId?: string;
  readonly text: string;
  /** The text is a state of a line that has not ended: a later state replaces it. */
  readonly isState?: boolean;
  /** Present for an entry of `context.log`. */
  readonly level?: LogLevel;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** @param text one line, without its line break */
export function printedLine(jobId: string, text: string): string {
  return `${MARK}P${jobId}${CLOSE}${text}\n`;
}

/** @param text the state of a progress bar, without a line break */
export function stateLine(jobId: string, text: string): string {
  return `${MARK}S${jobId}${CLOSE}${text}\n`;
}

/**
 * Fields that have no JSON form, or that would make the line longer than `maxBytes`, are left out. A message that is too long
 * by itself is cut.
 *
 * @param jobId undefined for an entry that belongs to no job
 */
export function logLine(
  jobId: string | undefined,
  entry: { readonly level: LogLevel; readonly message: string; readonly fields?: unknown },
  maxBytes: number,
): string {
  const { level, message, fields } = entry;
  const start = `${MARK}L${jobId ?? ""}${CLOSE}`;
  const room = maxBytes - start.length;
  const candidates = [
    fields === undefined ? undefined : tryJson({ level, message, fields }),
    JSON.stringify({ level, message }),
  ];
  const json = candidates.find((each) => each !== undefined && Buffer.byteLength(each) <= room);
  // In JSON text a UTF-16 unit takes six bytes at most.
  const cut = `${message.slice(0, Math.floor(room / 6) - 10)}…`;
  return `${start}${json ?? JSON.stringify({ level, message: cut })}\n`;
}

/** @param line without its line break */
export function parseLine(line: string): HandlerLine {
  const close = line.startsWith(MARK) ? line.indexOf(CLOSE) : -1;
  if (close === -1) return { text: line };
  const jobId = line.slice(2, close);
  const text = line.slice(close + 1);
  const of = jobId === "" ? {} : { jobId };
  if (line[1] === "L") return { ...of, ...parseEntry(text) };
  return { ...of, text, ...(line[1] === "S" && { isState: true }) };
}

function parseEntry(text: string): Omit<HandlerLine, "jobId"> {
  const entry: unknown = tryParse(text);
  if (typeof entry !== "object" || entry === null || !("message" in entry) || !("level" in entry)) {
    return { text };
  }
  const level = LOG_LEVELS.find((known) => known === entry.level);
  if (level === undefined || typeof entry.message !== "string") return { text };
  const { message } = entry;
  if (!("fields" in entry) || typeof entry.fields !== "object" || entry.fields === null) {
    return { text: message, level };
  }
  return { text: message, level, fields: { ...entry.fields } };
}

function tryJson(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
