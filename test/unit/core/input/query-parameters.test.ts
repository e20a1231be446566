/** The bounds of the job interface's query parameters. */
import { describe, expect, it } from "vitest";
import {
  fromParameter,
  parse,
  parseFlag,
  parseWaitMs,
  ttlParameter,
} from "../../../../emulator/core/input/query-parameters.ts";
import { ServiceError } from "../../../../emulator/core/service-error.ts";

function problemsOf(read: () => unknown): readonly string[] | undefined {
  try {
    read();
  } catch (error) {
    if (error instanceof ServiceError && error.code === "invalid_request") return error.problems;
    throw error;
  }
  return undefined;
}

describe("wait", () => {
  it("is 90 seconds when not sent", () => {
    expect(parseWaitMs({})).toBe(90_000);
  });

  it.each([
    ["1000", 1_000],
    ["300000", 300_000],
  ])("may be %s", (text, ms) => {
    expect(parseWaitMs({ wait: text })).toBe(ms);
  });

  it.each(["999", "300001", "0", "-1000", "1e4", "5000.0", "5000.5", "+5000", "05000", "5 000"])(
    "may not be %s",
    (text) => {
      expect(problemsOf(() => parseWaitMs({ wait: text }))).toEqual([
        `wait must be one integer from 1000 to 300000 (ms); got "${text}"`,
      ]);
    },
  );

  it.each(["", " ", "soon", "NaN", "Infinity", "0x1388", " 5000", "5000\n"])(
    "must be an integer, not %j",
    (text) => {
      expect(problemsOf(() => parseWaitMs({ wait: text }))).toEqual([
        `wait must be one integer from 1000 to 300000 (ms); got ${JSON.stringify(text)}`,
      ]);
    },
  );

  it("may not be given twice, even with one value", () => {
    expect(problemsOf(() => parseWaitMs({ wait: ["5000", "5000"] }))).toEqual([
      "wait must be one integer from 1000 to 300000 (ms); got 2 values",
    ]);
  });

  it("shows only the beginning of a long value", () => {
    const [problem = ""] = problemsOf(() => parseWaitMs({ wait: "9".repeat(10_000) })) ?? [];
    expect(problem).toMatch(/got "9{59}…$/);
  });

  it("is not read from a prototype", () => {
    const query: Record<string, unknown> = {};
    Object.setPrototypeOf(query, { wait: "5000" });
    expect(parseWaitMs(query)).toBe(90_000);
  });
});

describe("ttl", () => {
  it("is absent when not sent", () => {
    expect(parse({}, "ttl", ttlParameter)).toBeUndefined();
  });

  it.each([
    ["1", 1],
    ["6000", 6_000],
    ["604800000", 604_800_000],
  ])("may be %s", (text, ms) => {
    expect(parse({ ttl: text }, "ttl", ttlParameter)).toBe(ms);
  });

  it.each(["0", "604800001", "-1", "", "1.5"])("may not be %j", (text) => {
    expect(problemsOf(() => parse({ ttl: text }, "ttl", ttlParameter))).toEqual([
      `ttl must be one integer from 1 to 604800000 (ms); got "${text}"`,
    ]);
  });
});

describe("from", () => {
  it("is absent when not sent", () => {
    expect(parse({}, "from", fromParameter)).toBeUndefined();
  });

  it.each([
    ["0", 0],
    ["17", 17],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ])("may be %s", (text, index) => {
    expect(parse({ from: text }, "from", fromParameter)).toBe(index);
  });

  it.each(["-1", "", "-0", "1.0", "9007199254740992"])("may not be %j", (text) => {
    expect(problemsOf(() => parse({ from: text }, "from", fromParameter))).toEqual([
      `from must be one integer of 0 or more; got "${text}"`,
    ]);
  });
});

describe("a flag", () => {
  it.each([
    [{}, false],
    [{ includeTemplate: "false" }, false],
    [{ includeTemplate: "true" }, true],
    [{ includeTemplate: "True" }, true],
  ])("of %j is %s", (query, value) => {
    expect(parseFlag(query, "includeTemplate")).toBe(value);
  });

  it.each([
    ["", '""'],
    ["1", '"1"'],
    ["yes", '"yes"'],
    [["true", "true"], "2 values"],
  ])("may not be %j", (given, said) => {
    expect(problemsOf(() => parseFlag({ includeTemplate: given }, "includeTemplate"))).toEqual([
      `includeTemplate must be true or false; got ${said}`,
    ]);
  });
});
