/** Checks a job's input and output against the handler's schemas and lists the problems. */
import { InvalidOutputError } from "../output/output.ts";
import type { SchemaIssue, StandardSchema } from "../module/standard-schema.ts";

/** Maximum issues in a message. */
const MAX_ISSUES = 20;
const MAX_ISSUE_LENGTH = 400;

/** The job's input does not match the handler's `input` schema. The message lists the issues. */
export class InvalidInputError extends Error {
  override readonly name = "InvalidInputError";
  readonly code = "invalid_input";
}

/**
 * Returns the schema's result for the input, which may be transformed.
 *
 * @throws InvalidInputError
 */
export async function checkInput(schema: StandardSchema, input: unknown): Promise<unknown> {
  const result = await schema["~standard"].validate(input);
  if (result.issues === undefined) return result.value;
  throw new InvalidInputError(sentence("input", result.issues));
}

/**
 * Returns the schema's result for the output, which may be transformed.
 *
 * @throws InvalidOutputError
 */
export async function checkOutput(schema: StandardSchema, output: unknown): Promise<unknown> {
  const result = await schema["~standard"].validate(output);
  if (result.issues === undefined) return result.value;
  throw new InvalidOutputError(sentence("output", result.issues));
}

function sentence(what: string, issues: readonly SchemaIssue[]): string {
  const shown = issues.slice(0, MAX_ISSUES).map(describeIssue);
  const more = issues.length - shown.length;
  if (more > 0) shown.push(`and ${more} more`);
  return `The ${what} does not fit the handler's schema: ${shown.join("; ")}`;
}

function describeIssue({ message, path = [] }: SchemaIssue): string {
  const keys = path.map((step) => String(typeof step === "object" ? step.key : step));
  const text = keys.length === 0 ? message : `${keys.join(".")}: ${message}`;
  return text.length <= MAX_ISSUE_LENGTH ? text : `${text.slice(0, MAX_ISSUE_LENGTH)}…`;
}
