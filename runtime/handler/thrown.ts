/** Turns a thrown value of a handler into a message and, if it has one, a stack. */
import { inspect } from "node:util";
import { isVague, reasonOf } from "../protocol/reason-of.ts";

const MESSAGE_MAX_LENGTH = 16_384;
const STACK_MAX_LENGTH = 65_536;
/** Maximum number of errors in a stack: the thrown one, its causes, and the errors of an AggregateError. */
const MAX_ERRORS = 6;

export interface ThrownDescription {
  readonly message: string;
  readonly stack?: string;
}

/** Never throws, whatever `thrown` is. */
export function describeThrown(thrown: unknown): ThrownDescription {
  try {
    return describe(thrown);
  } catch {
    return { message: "The handler threw a value that cannot be described." };
  }
}

function describe(thrown: unknown): ThrownDescription {
  if (thrown instanceof Error) {
    return { message: cut(messageOf(thrown), MESSAGE_MAX_LENGTH), ...stackOf(thrown) };
  }
  if (typeof thrown === "string" && thrown !== "")
    return { message: cut(thrown, MESSAGE_MAX_LENGTH) };
  if (hasMessage(thrown)) return { message: cut(thrown.message, MESSAGE_MAX_LENGTH) };
  return {
    message: `The handler threw ${cut(shown(thrown), MESSAGE_MAX_LENGTH)} instead of an error.`,
  };
}

function hasMessage(thrown: unknown): thrown is { readonly message: string } {
  if (typeof thrown !== "object" || thrown === null || !("message" in thrown)) return false;
  return typeof thrown.message === "string" && thrown.message !== "";
}

function messageOf(error: Error): string {
  const message = textOf(error, "message");
  if (message !== "" && error.cause !== undefined && isVague(error)) return reasonOf(error);
  if (message !== "") return message;
  const name = textOf(error, "name");
  const inner = errorsOf(error).map((one) =>
    one instanceof Error ? textOf(one, "message") || textOf(one, "name") : shown(one),
  );
  return inner.length === 0 ? name : `${name}: ${inner.join("; ")}`;
}

/** A member of an error that should be a string. Handlers replace it, or define a getter that throws. */
function textOf(error: Error, name: "message" | "name" | "stack"): string {
  try {
    const text: unknown = error[name];
    return typeof text === "string" || text === undefined ? (text ?? "") : shown(text);
  } catch {
    return `an error whose ${name} cannot be read`;
  }
}

function errorsOf(error: Error): readonly unknown[] {
  if (error instanceof SuppressedError) return [error.error, error.suppressed];
  return error instanceof AggregateError ? error.errors.slice(0, MAX_ERRORS) : [];
}

function stackOf(thrown: Error): { readonly stack?: string } {
  const stacks: string[] = [];
  const seen = new Set<Error>();
  const waiting: (readonly [how: string, error: unknown])[] = [["", thrown]];
  for (const [how, error] of waiting) {
    if (!(error instanceof Error) || seen.has(error) || seen.size === MAX_ERRORS) continue;
    seen.add(error);
    const stack = textOf(error, "stack");
    if (stack !== "") stacks.push(how + stack);
    waiting.push(["caused by: ", error.cause]);
    for (const one of errorsOf(error)) waiting.push(["one of its errors: ", one]);
  }
  return stacks.length === 0 ? {} : { stack: cut(stacks.join("\n"), STACK_MAX_LENGTH) };
}

function shown(value: unknown): string {
  return inspect(value, { depth: 2, breakLength: Infinity });
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
