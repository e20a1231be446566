/** Reads the failure in the `error` that a handler reports by the rules of the live service's Python SDK (live). */
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";

const MESSAGE_MAX_LENGTH = 16_384;
const STACK_MAX_LENGTH = 65_536;

/** The text of the SDK when a generator raises. */
const OF_GENERATOR = /^handler: (?<message>.*?) ?\ntraceback: (?<stack>.*)$/s;

/** `<class 'module.Name'>`, as Python shows a class. */
const OF_CLASS = /^<class '(?<name>[^']+)'>$/;

/** @param error the value of `error`, not empty */
export function reportedFailure(error: unknown): Failure {
  const reported = typeof error === "string" ? error : JSON.stringify(error);
  const { message, stack } = read(error);
  return {
    type: "handler_error",
    message: cut(message === "" ? reported : message, MESSAGE_MAX_LENGTH),
    ...(stack !== undefined && stack !== "" && { stack: cut(stack, STACK_MAX_LENGTH) }),
    reported: cut(reported, LIMITS.progressMaxBytes),
  };
}

interface ReadError {
  readonly message: string;
  readonly stack?: string | undefined;
}

function read(error: unknown): ReadError {
  if (typeof error !== "string") return { message: textOf(error, "message") ?? "" };
  const exception = readException(error);
  if (exception) return exception;
  const { message = error, stack } = OF_GENERATOR.exec(error)?.groups ?? {};
  return { message, stack };
}

/** An exception that the SDK caught, which is JSON with these keys. */
function readException(text: string): ReadError | undefined {
  if (!text.startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const said = textOf(value, "error_message");
  if (said === undefined) return undefined;
  const type = textOf(value, "error_type") ?? "";
  const name = OF_CLASS.exec(type)?.groups?.["name"] ?? type;
  const message = [name, said].filter((part) => part !== "").join(": ");
  return { message, stack: textOf(value, "error_traceback") };
}

function textOf(value: unknown, key: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const text: unknown = Object.getOwnPropertyDescriptor(value, key)?.value;
  return typeof text === "string" ? text : undefined;
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
