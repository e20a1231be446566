/** A line of one pod's or worker's log in the live service's stream, and the ids to go on after it (live). Pure. */
import type { LogEntry, LogFields } from "./log-entry.ts";
import { fieldsInJson } from "./json-line.ts";

/** `container`: its program's output; `system`: from the service. */
export const LINE_SOURCES = ["container", "system"] as const;
export type LineSource = (typeof LINE_SOURCES)[number];

export interface StreamedLine {
  readonly source: LineSource;
  /** The message, followed by the line's data as JSON. */
  readonly line: string;
  /** Time of writing, RFC 3339. */
  readonly ts: string;
}

/** Fields that name the source, which the reader knows. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(["endpointId", "podId", "runId", "workerId"]);

/** The field `source` of a pod's output. */
export const OF_POD = "pod";

export function streamedLine({ at, message, fields, origin }: LogEntry): StreamedLine {
  const isPods = fields["source"] === OF_POD;
  const more = isPods ? "" : fieldsInJson(without(fields, KNOWN_FIELDS));
  return {
    source: isPods || origin !== undefined ? "container" : "system",
    line: more === "" ? message : `${message} ${more}`,
    ts: new Date(at).toISOString(),
  };
}

function without(fields: LogFields, names: ReadonlySet<string>): LogFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.has(name)));
}

/** Number of serials per millisecond. */
const SERIALS_EACH_MS = 1_000;

/**
 * The lowest number of a line at `at` (wall clock, ms since 1970). Numbers that begin at the clock keep growing over restarts,
 * and at another replica that goes on.
 */
export function serialAt(at: number): number {
  return Math.floor(at) * SERIALS_EACH_MS;
}

/** The id of the line's event: opaque to clients (live; the form is ours). */
export function lineId({ ts }: StreamedLine, serial: number): string {
  return `${ts}/${serial}`;
}

/**
 * The number of the reader's last line, from its id. A moment alone, as in the live service's documentation, is after all lines
 * of that moment. Undefined for any other text.
 */
export function serialIn(id: string): number | undefined {
  const [moment = "", serial] = id.split("/");
  const at = momentIn(moment);
  if (at === undefined) return undefined;
  if (serial === undefined) return serialAt(at + 1) - 1;
  return /^\d{1,16}$/u.test(serial) ? Number(serial) : undefined;
}

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/u;

/** RFC 3339 as ms since 1970; undefined for any other text. */
export function momentIn(text: string): number | undefined {
  if (!RFC_3339.test(text)) return undefined;
  const at = Date.parse(text.toUpperCase());
  return Number.isNaN(at) ? undefined : at;
}
