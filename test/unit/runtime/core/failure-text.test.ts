/** The text of a failure, and its stack frames. */
import { describe, expect, test } from "vitest";
import {
  failureFrames,
  failurePlace,
  failureSentence,
  foldedFrames,
} from "../../../../runtime/core/failure-text.ts";
import type { Failure } from "../../../../runtime/protocol/failure.ts";

const OURS = [
  "    at invoke (/srv/node_modules/sv-runtime/dist/runtime/handler/handler-process.cjs:2765:36)",
  "    at async /home/me/sv-runtime/dist/runtime/handler/handler-process.cjs:3790:16",
  "    at process.processTimers (node:internal/timers:615:9)",
  "    at new Promise (<anonymous>)",
  "    at async Promise.all (index 0)",
];

function failure(stack?: string, rest: Partial<Failure> = {}): Failure {
  return {
    type: "handler_error",
    message: "no such plan",
    ...(stack !== undefined && { stack }),
    ...rest,
  };
}

describe("the sentence of a failure", () => {
  test.each([
    ["an error's name", failure("TypeError: no such plan\n    at f (/a.ts:1:1)"), "TypeError"],
    ["a user's own name", failure("PlanError: no such plan"), "PlanError"],
    ["a name with a code", failure("TypeError [ERR_X]: no such plan"), "TypeError"],
    ["the kind, without a stack", failure(), "handler_error"],
    ["the kind, if the stack begins without a name", failure("at x"), "handler_error"],
  ])("begins with %s", (_, shown, name) => {
    expect(failureSentence(shown)).toBe(`${name}: no such plan`);
  });

  test("has the name only once when it is also the message", () => {
    expect(failureSentence(failure("Error\n    at f (/a.ts:1:1)", { message: "Error" }))).toBe(
      "Error",
    );
  });
});

describe("the frames of a failure", () => {
  test("are only those of the user's code, with relative paths", () => {
    const stack = [
      "TypeError: no such plan",
      "    at Object.parse (/srv/node_modules/zod/index.js:1:2)",
      "    at parse (/srv/greeter/handler.ts:4:29)",
      "    at async file:///elsewhere/plans.mjs:9:22",
      ...OURS,
    ].join("\n");
    expect(failureFrames(failure(stack), { cwd: "/srv" })).toEqual([
      "at parse (greeter/handler.ts:4:29)",
      "at async /elsewhere/plans.mjs:9:22",
    ]);
    expect(failurePlace(failure(stack))).toBe("at parse (/srv/greeter/handler.ts:4:29)");
  });

  test("are at most four, with the number of further ones", () => {
    const frames = [1, 2, 3, 4, 5, 6].map((n) => `    at f${n} (/a.ts:${n}:1)`);
    expect(failureFrames(failure(["Error: x", ...frames, ...OURS].join("\n")))).toEqual([
      ...frames.slice(0, 4).map((frame) => frame.trim()),
      "… 2 more frames",
    ]);
  });

  test("are all shown on request", () => {
    expect(failureFrames(failure(["Error: x", ...OURS].join("\n")), { isWhole: true })).toEqual(
      OURS.map((frame) => frame.trim()),
    );
  });

  test("are followed by the causes with their frames", () => {
    const stack = [
      "Error: no such plan",
      "    at greet (/a.ts:14:26)",
      ...OURS,
      "caused by: Error: no voice",
      "    at sing (/a.ts:3:1)",
      ...OURS,
    ].join("\n");
    expect(failureFrames(failure(stack))).toEqual([
      "at greet (/a.ts:14:26)",
      "caused by: Error: no voice",
      "  at sing (/a.ts:3:1)",
    ]);
  });

  test("are innermost first for a Python traceback", () => {
    const stack = [
      "Traceback (most recent call last):",
      '  File "/app/worker.py", line 3, in handler',
      "    plan(job)",
      '  File "/app/plans.py", line 9, in plan',
      "    raise KeyError(1)",
    ].join("\n");
    expect(failureFrames(failure(stack), { cwd: "/app" })).toEqual([
      "at plan (plans.py:9)",
      "at handler (worker.py:3)",
    ]);
  });

  test("are all of the user's code on request, with the number and origin of folded ones", () => {
    const own = [1, 2, 3, 4, 5, 6].map((n) => `    at f${n} (/a.ts:${n}:1)`);
    const zod = "    at parse (/srv/node_modules/zod/index.js:1:2)";
    const stack = ["Error: x", zod, ...own, ...OURS].join("\n");
    expect(failureFrames(failure(stack), { most: Infinity })).toEqual(
      own.map((frame) => frame.trim()),
    );
    expect(foldedFrames(failure(stack))).toBe("6 frames of packages, Node and sv-runtime");
    const caused = ["Error: x", own[0], OURS[0], "caused by: Error: y", own[1], OURS[1]];
    expect(foldedFrames(failure(caused.join("\n")))).toBe("2 frames of sv-runtime");
    expect(foldedFrames(failure(["Error: x", own[0], OURS[1]].join("\n")))).toBe(
      "1 frame of sv-runtime",
    );
    expect(foldedFrames(failure(["Error: x", ...own].join("\n")))).toBe("");
  });

  test("are empty without", () => {
    expect(failureFrames(failure())).toEqual([]);
    expect(failurePlace(failure())).toBe("");
  });
});
