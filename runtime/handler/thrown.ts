/** Turns a thrown value of a handler into a message and, if it has one, a stack. */
import { inspect } from "node:util";

const MESSAGE_MAX_LENGTH = 16_384;
const STACK_MAX_LENGTH = 65_536;
/** Maximum number of shown causes of an error. */
const MAX_CAUSES = 5;

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
    const message = thrown.message === "" ? thrown.name : thrown.message;
    return { message: cut(message, MESSAGE_MAX_LENGTH), ...stackOf(thrown) };
  }
  if (typeof thrown === "string" && thrown !== "")
    return { message: cut(thrown, MESSAGE_MAX_LENGTH) };
  if (hasMessage(thrown)) return { message: cut(thrown.message, MESSAGE_MAX_LENGTH) };
  const shown = cut(inspect(thrown, { depth: 2, breakLength: Infinity }), MESSAGE_MAX_LENGTH);
  return { message: `The handler threw ${shown} instead of an error.` };
}

function hasMessage(thrown: unknown): thrown is { readonly message: string } {
  if (typeof thrown !== "object" || thrown === null || !("message" in thrown)) return false;
  return typeof thrown.message === "string" && thrown.message !== "";
}

function stackOf(error: Error): { readonly stack?: string } {
  const stacks: string[] = [];
  let at: unknown = error;
  while (at instanceof Error && stacks.length <= MAX_CAUSES) {
    if (typeof at.stack === "string") stacks.push(at.stack);
    at = at.cause;
  }
  return stacks.length === 0 ? {} : { stack: cut(stacks.join("\ncaused by: "), STACK_MAX_LENGTH) };
}

function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}
