/** Ways to silence the type checker or the test runner; this project uses none. */
import type { CallExpression } from "oxc-parser";
import { gather, type Source } from "./source.ts";

const directive = /@ts-(ignore|nocheck|expect-error)/;
const runnerNames = /^(test|it|describe|suite|bench)$/;
const silencers = /^(only|skip|todo|fails)$/;

export function escapeOffences(source: Source): string[] {
  const offences = source.comments
    .map((comment) => directive.exec(comment.value)?.[0])
    .filter((found) => found !== undefined)
    .filter((found) => !(found === "@ts-expect-error" && source.path.endsWith(".test-d.ts")))
    .map((found) => `${source.path} silences the compiler with ${found}`);
  return [
    ...offences,
    ...gather(source, (report) => ({
      TSAnyKeyword: (node) => report(node.start, "uses the type any"),
      TSNonNullExpression: (node) => report(node.start, "claims with ! that a value is there"),
      CallExpression: (node) => {
        const word = silencedBy(node);
        if (word !== undefined) report(node.start, `leaves tests out with .${word}(`);
      },
    })),
  ];
}

/** Follows `describe.concurrent.skip(…)` and `test.skip.each(…)(…)` down to the runner's own function. */
function silencedBy(node: CallExpression): string | undefined {
  let word: string | undefined;
  let at = node.callee;
  while (at.type === "MemberExpression" || at.type === "CallExpression") {
    if (at.type === "CallExpression") {
      at = at.callee;
      continue;
    }
    const name = at.property.type === "Identifier" ? at.property.name : "";
    if (silencers.test(name)) word = name;
    at = at.object;
  }
  return at.type === "Identifier" && runnerNames.test(at.name) ? word : undefined;
}
