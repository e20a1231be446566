/** Log entries for machines: one JSON object a line, `{time, level, msg, …}`. */
import { printableJson } from "../../../../runtime/protocol/printable.ts";
import type { LogEntry, LogFields } from "./log-entry.ts";

export function jsonLine({ at, level, message, fields, origin }: LogEntry): string {
  const head = { time: new Date(at).toISOString(), level, msg: message };
  return `${printableJson(stringify(head, { ...fields, ...origin }))}\n`;
}

/** The fields as JSON; empty if there are none, or they have no JSON form. */
export function fieldsInJson(fields: LogFields): string {
  try {
    const text = JSON.stringify(fields, withErrors);
    return text === "{}" ? "" : printableJson(text);
  } catch {
    return "";
  }
}

/** A log line must never throw: values without a JSON form cost the fields, not the line. */
function stringify(head: LogFields, fields: LogFields): string {
  try {
    // `head` twice: first for the order of the keys, last so that no field replaces them.
    return JSON.stringify({ ...head, ...fields, ...head }, withErrors);
  } catch (error) {
    return JSON.stringify({ ...head, fieldsLost: String(error) });
  }
}

function withErrors(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (!(value instanceof Error)) return value;
  const { name: type, message, stack, cause } = value;
  return Object.assign({ type, message, stack, cause }, value);
}
