/** `sv-emulate exec`: its arguments, and its report of jobs. */
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, test } from "vitest";
import { readCommandLine } from "../../../../emulator/cli/command.ts";
import { junitReport } from "../../../../emulator/cli/exec/junit.ts";
import type { JobRecord } from "../../../../emulator/index.ts";

const read = (...args: string[]) => readCommandLine(args, "1.2.3");

describe("the command line", () => {
  test("all arguments after the first -- belong to the command", () => {
    const args = ["exec", "--junit", "jobs.xml", "a", "--", "npm", "test", "--", "--port", "1"];
    expect(read(...args)).toEqual({
      kind: "exec",
      targets: ["a"],
      flags: { junit: "jobs.xml" },
      command: ["npm", "test", "--", "--port", "1"],
    });
  });

  test("a missing command is refused with an example", () => {
    expect(() => read("exec", "a")).toThrow(/sv-emulate exec -- npm test/u);
    expect(() => read("exec", "--")).toThrow(/sv-emulate exec -- npm test/u);
  });
});

function record(id: string, more: Partial<JobRecord>): JobRecord {
  return {
    id,
    endpointId: "hello",
    status: "COMPLETED",
    input: {},
    chunks: [],
    logs: [],
    attempt: 1,
    executionTime: 1_500,
    submittedAt: Date.UTC(2026, 0, 1),
    ...more,
  };
}

describe("the report", () => {
  const nasty = '5 < 6 & "so" \u0000\uD800 on';
  const xml = junitReport([
    record("one", {}),
    record("two", {
      status: "FAILED",
      error: nasty,
      failure: { type: "handler_error", message: nasty, stack: "at x", lastLogLines: ["]]>"] },
    }),
    record("three", { endpointId: "other", status: "IN_PROGRESS" }),
  ]);
  const parsed: unknown = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: "",
  }).parse(xml);

  test("is XML for any output of handlers", () => {
    expect(XMLValidator.validate(xml)).toBe(true);
  });

  test("has a suite for each endpoint and a case for each job", () => {
    expect(parsed).toMatchObject({
      testsuites: {
        tests: "3",
        failures: "1",
        skipped: "1",
        time: "4.500",
        testsuite: [
          {
            name: "hello",
            timestamp: "2026-01-01T00:00:00.000Z",
            testcase: [
              { classname: "hello", name: "one", time: "1.500" },
              {
                name: "two",
                failure: {
                  type: "handler_error",
                  message: '5 < 6 & "so" \uFFFD\uFFFD on',
                  "#text": "at x\n]]>",
                },
              },
            ],
          },
          { name: "other", testcase: { name: "three", skipped: { message: "IN_PROGRESS" } } },
        ],
      },
    });
  });

  test("exists even without jobs", () => {
    expect(XMLValidator.validate(junitReport([]))).toBe(true);
    expect(junitReport([])).toContain('tests="0"');
  });
});
