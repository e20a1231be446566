/** The generated sections of the documents match the code. */
import { describe, expect, test } from "vitest";
import { ERROR_CODES } from "../../../emulator/core/service-error.ts";
import { SUMMARIES } from "../../../emulator/http/operation/openapi/summaries.ts";
import { routesOf } from "../../../emulator/http/operation/operation.ts";
import { OPERATIONS } from "../../../emulator/http/operations.ts";
import { REST_V2_OPERATIONS } from "../../../emulator/http/management/rest-v2-operations.ts";
import * as client from "../../../runtime/client/index.ts";
import { FAILURE_TYPES } from "../../../runtime/protocol/failure.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { clientErrorsTable } from "../../../scripts/docs/client-errors-table.ts";
import { takeSource } from "../../../scripts/docs/comments.ts";
import { errorCodesTable, failureTypesTable } from "../../../scripts/docs/errors-table.ts";
import { limitInWords, limitsTable } from "../../../scripts/docs/limits-table.ts";
import { answerTypesSource } from "../../../scripts/docs/answer-types.ts";
import { operationsTable, summariesSource } from "../../../scripts/docs/operations-table.ts";
import { PAGES, regenerated } from "../../../scripts/docs/pages.ts";
import { settingsSource } from "../../../scripts/docs/settings-source.ts";
import { withSection } from "../../../scripts/docs/section.ts";
import { markdownTable } from "../../../scripts/docs/table.ts";
import { readDocument } from "./documents.ts";

describe.each(PAGES)("$file", (page) => {
  test("matches the output of npm run docs", async () => {
    const { text } = readDocument(page.file);
    expect(await regenerated(page, text)).toBe(text);
  });

  test("is reported if a section is out of date", async () => {
    const { text } = readDocument(page.file);
    for (const name of Object.keys(page.sections)) {
      const stale = withSection(text, name, "something older");
      expect(stale).not.toBe(text);
      expect(await regenerated(page, stale)).toBe(text);
    }
  });
});

test("every arrow of a state diagram joins names that Mermaid accepts", () => {
  const { text } = readDocument("docs/state-machines.md");
  const arrows = text.split("\n").filter((line) => line.includes(" --> "));
  expect(arrows.length).toBeGreaterThan(20);
  for (const arrow of arrows) expect(arrow).toMatch(/^ +(\[\*\]|\w+) --> (\[\*\]|\w+): /);
});

test.each([
  ["runtime/protocol/generated/answers.ts", answerTypesSource],
  ["emulator/dashboard/service/generated/settings.ts", settingsSource],
])("%s matches the output of npm run docs", (file, source) => {
  expect(source()).toBe(readDocument(file).text);
});

test("the summaries of the operations match the output of npm run docs", () => {
  const { text } = readDocument("emulator/http/operation/openapi/summaries.ts");
  expect(summariesSource(text)).toBe(text);
  expect(Object.keys(SUMMARIES)).toEqual(Object.keys({ ...OPERATIONS, ...REST_V2_OPERATIONS }));
  for (const summary of Object.values(SUMMARIES)) expect(summary).toMatch(/^[A-Z].*\.$/);
});

test("a document without the markers of a section is refused", () => {
  const begin = "<!-- a: begin (npm run docs) -->";
  const end = "<!-- a: end -->";
  expect(withSection(`x\n${begin}\nold\n${end}\ny`, "a", "new")).toBe(
    `x\n${begin}\n\nnew\n\n${end}\ny`,
  );
  for (const text of ["", begin, end, `${end}${begin}`]) {
    expect(() => withSection(text, "a", "new")).toThrow('the section "a"');
  }
});

describe("tables", () => {
  test("have columns as wide as their widest cells, and escape characters that would end a cell", () => {
    expect(markdownTable(["A", "B"], [["long…", "|"]])).toBe(
      ["| A     | B   |", "| ----- | --- |", "| long… | \\|  |"].join("\n"),
    );
  });

  test("have every limit with a meaning and a source", () => {
    const rows = limitsTable().split("\n").slice(2);
    expect(rows).toHaveLength(Object.keys(LIMITS).length);
    for (const row of rows) {
      expect(row).toMatch(/^\| `\w+` +\| \d[\w,. ]* \| \S.*\S +\| (spec|ours|live) +\|$/);
    }
  });

  test("show limits in their largest whole unit", () => {
    const said = [
      ["aMs", 604_800_000, "7 days"],
      ["aMs", 86_400_000, "1 day"],
      ["aMs", 90_000, "90 s"],
      ["aMs", 300_000, "5 min"],
      ["aMs", 1, "1 ms"],
      ["aBytes", 20_000_000, "20 MB"],
      ["aBytes", 65_536, "65,536 bytes"],
      ["depth", 512, "512"],
    ] as const;
    for (const [name, value, words] of said) expect(limitInWords(name, value)).toBe(words);
  });

  test("have every error code, failure type and operation", () => {
    const codes = errorCodesTable();
    for (const code of Object.keys(ERROR_CODES)) expect(codes).toContain(`| \`${code}\` `);
    const types = failureTypesTable();
    for (const type of FAILURE_TYPES) expect(types).toContain(`| \`${type}\` `);
    const own = ["/emulator/", "/metrics", "/livez", "/readyz", "/docs", "/ui/", "/"];
    const tables = ["/v1/", "/v2/", ...own].map(operationsTable);
    const rows = tables.flatMap((table) => table.split("\n").slice(2));
    expect(rows).toHaveLength(Object.values(OPERATIONS).flatMap(routesOf).length);
  });

  test("have every error class of the client, with its code", () => {
    const table = clientErrorsTable();
    const classes = Object.keys(client).filter((name) => name.endsWith("Error"));
    expect(classes.length).toBeGreaterThan(15);
    for (const name of classes)
      expect(table).toMatch(new RegExp(`^\\| \`${name}\` .*\\S +\\|$`, "m"));
    expect(table).toMatch(/^\| `JobFailedError` +\| `JobError` +\| `job_failed` +\| FAILED: /m);
  });
});

test("the source of a rule is removed from its sentence, and a reason stays", () => {
  expect(takeSource("Waits (spec).")).toEqual({ says: "Waits.", source: "spec" });
  expect(takeSource("Waits (ours: it is kind).")).toEqual({
    says: "Waits (it is kind).",
    source: "ours",
  });
  expect(takeSource("Waits (a while).")).toEqual({ says: "Waits (a while).", source: "" });
});
