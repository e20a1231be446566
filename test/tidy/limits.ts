/**
 * Tests that fail on a loaded machine, or in a directory closed to other users: those with their own limits, or
 * with another user.
 */
import type { Argument, CallExpression, ObjectPropertyKind } from "oxc-parser";
import { TEST_MS } from "../setup/patience.ts";
import { gather, type Source } from "./source.ts";

const RUNNERS = /^(test|it|beforeAll|beforeEach|afterAll|afterEach)$/;
const OTHER_USER = /^(setuid|seteuid|setgid|setegid|setgroups|initgroups)$/;

export function limitOffences(source: Source): string[] {
  if (!source.path.startsWith("test/")) return [];
  return gather(source, (report) => ({
    CallExpression: (node) => {
      const problem = problemOf(node);
      if (problem !== undefined) report(node.start, problem);
    },
    VariableDeclarator: ({ start, init }) => {
      // Named limits of polls.
      if (init?.type !== "ObjectExpression" || timeoutIn([init]) === undefined) return;
      if (init.properties.some((property) => isNamed(property, "interval")))
        report(start, "is a limit of its own for polls");
    },
  }));
}

function problemOf({ callee, arguments: given }: CallExpression): string | undefined {
  if (callee.type === "Identifier" && callee.name === "eventually")
    return numberIn(given.at(-1)) === undefined ? undefined : "waits by a limit of its own";
  if (isOfRunner(callee)) {
    const limitMs = numberIn(given.at(-1)) ?? timeoutIn(given);
    return limitMs !== undefined && limitMs < TEST_MS ? "has a time limit of its own" : undefined;
  }
  if (callee.type !== "MemberExpression" || callee.property.type !== "Identifier") return undefined;
  const { name } = callee.property;
  if (OTHER_USER.test(name)) return `becomes another user by ${name}; see bound-by-permissions.ts`;
  if (name === "waitFor" && callee.object.type === "Identifier" && callee.object.name === "vi")
    return hasTimeout(given) && timeoutIn(given) === undefined
      ? undefined
      : "waits by the short default of vi.waitFor, or by a limit of its own";
  return name === "poll" && timeoutIn(given) !== undefined
    ? "polls by a limit of its own"
    : undefined;
}

/** `test(…)`, `test.skipIf(…)(…)`, `it.each(…)(…)`. */
function isOfRunner(callee: CallExpression["callee"]): boolean {
  let at = callee;
  while (at.type === "MemberExpression" || at.type === "CallExpression")
    at = at.type === "MemberExpression" ? at.object : at.callee;
  const isCalled = callee.type === "Identifier" || callee.type === "CallExpression";
  return isCalled && at.type === "Identifier" && RUNNERS.test(at.name);
}

function numberIn(argument: Argument | undefined): number | undefined {
  return argument?.type === "Literal" && typeof argument.value === "number"
    ? argument.value
    : undefined;
}

function timeoutsOf(given: readonly Argument[]) {
  return given.flatMap((argument) =>
    argument.type === "ObjectExpression"
      ? argument.properties.flatMap((property) =>
          property.type === "Property" && isNamed(property, "timeout") ? property.value : [],
        )
      : [],
  );
}

function isNamed(property: ObjectPropertyKind, name: string): boolean {
  return (
    property.type === "Property" && property.key.type === "Identifier" && property.key.name === name
  );
}

function hasTimeout(given: readonly Argument[]): boolean {
  return timeoutsOf(given).length > 0;
}

/** A limit written as a number. */
function timeoutIn(given: readonly Argument[]): number | undefined {
  return timeoutsOf(given)
    .map(numberIn)
    .find((limitMs) => limitMs !== undefined);
}
