// Reads a name from a job's input and greets it: the part that all forms of the handler share.

/** The longest name that is greeted, in UTF-16 units. */
export const MAX_NAME_LENGTH = 100;

/** The output of a job. */
export interface Greeting {
  readonly greeting: string;
}

/**
 * Finds the name in a job's input, without surrounding white space.
 *
 * @throws {TypeError} if there is no name, or it is not a string @throws {RangeError} if it is blank or too long
 */
export function readName(input: unknown): string {
  const name =
    typeof input === "object" && input !== null && "name" in input ? input.name : undefined;
  if (name === undefined) {
    throw new TypeError('input.name is missing: send {"input":{"name":"Ada"}}.');
  }
  if (typeof name !== "string") {
    throw new TypeError(`input.name must be a string, not ${describe(name)}.`);
  }
  const trimmed = name.trim();
  const { length } = trimmed;
  if (length === 0) {
    throw new RangeError("input.name is blank: send at least one character.");
  }
  if (length > MAX_NAME_LENGTH) {
    throw new RangeError(
      `input.name has ${length} characters; at most ${MAX_NAME_LENGTH} are greeted.`,
    );
  }
  return trimmed;
}

/** The greeting for a name. */
export function greet(name: string): Greeting {
  return { greeting: `Hello, ${name}!` };
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
