/**
 * Describes where a value does not match its schema, in the lines of the live service (live; unknown lines are worded alike).
 * Pure.
 */
import { z } from "zod";
import { kindOfValue, valueInWords } from "../../../core/input/problem-messages.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Names a place in the value, for example `$.gpu.count`. */
type NameOf = (path: Path) => string;

/** Mark of an issue about a whole number: zod's issue alone only says that a number is expected. */
const WHOLE = "integer";

/** Options of a parse whose issues become lines. */
export const FOR_LINES = {
  reportInput: true,
  error: ({ code, inst }: z.core.$ZodRawIssue) =>
    code === "invalid_type" && inst instanceof z.ZodNumberFormat ? WHOLE : undefined,
} as const;

/** One line per problem: `$.gpu.count: got string, want integer`. */
export function schemaLines(
  issues: readonly Issue[],
  nameOf: NameOf = placeInBody,
): readonly string[] {
  const all = issues.flatMap((issue) => resolved(issue, []));
  const [missing, others] = [all.filter(isMissing), all.filter((issue) => !isMissing(issue))];
  const byParent = Map.groupBy(missing, ({ path }) => nameOf(path.slice(0, -1)));
  const lines = Array.from(byParent, ([place, absent]) => {
    const names = absent.map(({ path }) => `'${String(path.at(-1))}'`);
    return `${place}: missing ${names.length === 1 ? "property" : "properties"} ${names.join(", ")}`;
  });
  return [...lines, ...others.map((issue) => `${nameOf(issue.path)}: ${saidOf(issue)}`)];
}

/** `$` is the body. */
function placeInBody(path: Path): string {
  return path.reduce<string>(
    (place, key) => place + (typeof key === "number" ? `[${key}]` : `.${String(key)}`),
    "$",
  );
}

/** The issues of a union are those of the alternative that fits best; paths begin at the body. */
function resolved(issue: Issue, above: Path): readonly Issue[] {
  const path = [...above, ...issue.path];
  const isOpen = issue.code === "invalid_union" && issue.input !== undefined;
  const [first, ...rest] = isOpen ? issue.errors.filter(({ length }) => length > 0) : [];
  if (first === undefined) return [{ ...issue, path }];
  const nearest = rest.reduce((best, each) => (each.length < best.length ? each : best), first);
  return nearest.flatMap((inner) => resolved(inner, path));
}

/** Whether the value is absent. A value without a path is never missing. */
function isMissing({ code, input, path }: Issue): boolean {
  return code !== "custom" && input === undefined && path.length > 0;
}

/** JSON Schema's names of types, where zod's differ. */
const KINDS: Readonly<Record<string, string>> = { int: WHOLE, record: "object" };

function wantedBy({ message, expected }: z.core.$ZodIssueInvalidType): string {
  return message === WHOLE ? WHOLE : (KINDS[expected] ?? expected);
}

function saidOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `got ${kindOfValue(issue.input)}, want ${wantedBy(issue)}`;
    case "unrecognized_keys":
      return `additional properties ${quoted(issue.keys)} not allowed`;
    case "invalid_value":
      return `value must be ${issue.values.length === 1 ? "" : "one of "}${quoted(issue.values)}`;
    case "too_small":
      return `${boundOf("min", issue.origin)}: got ${sizeOf(issue.input)}, want ${issue.minimum}`;
    case "too_big":
      return `${boundOf("max", issue.origin)}: got ${sizeOf(issue.input)}, want ${issue.maximum}`;
    case "invalid_format":
      return `${valueInWords(issue.input)} does not match ${issue.pattern ?? issue.format}`;
    case "not_multiple_of":
      return `multipleOf: got ${sizeOf(issue.input)}, want ${issue.divisor}`;
    case "invalid_union":
      return "options" in issue && issue.options
        ? `value must be one of ${quoted(issue.options)}`
        : issue.message;
    default:
      return issue.message;
  }
}

/** The JSON Schema keyword of an issue, for example `minItems`. */
function boundOf(side: "min" | "max", origin: string): string {
  if (origin === "string") return `${side}Length`;
  if (origin === "array" || origin === "set") return `${side}Items`;
  return `${side}imum`;
}

function sizeOf(value: unknown): string {
  if (typeof value === "string" || Array.isArray(value)) return String(value.length);
  return valueInWords(value);
}

function quoted(values: readonly unknown[]): string {
  return values.map((value) => `'${String(value)}'`).join(", ");
}
