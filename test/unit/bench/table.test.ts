/** The benchmark's table: its cells, aligned columns, and verdicts. */
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { atLeast, atMost, type Line, type RowResult } from "../../../bench/line.ts";
import { summarize } from "../../../bench/statistics.ts";
import { coloured, markdownTable, number, plain, terminalTable } from "../../../bench/table.ts";

const measured: Line = {
  what: "/runsync p50",
  unit: "ms",
  ours: summarize([1.5, 1.25, 2]),
  beside: { what: "the floors", value: summarize([0.75, 0.5, 1]) },
  ratio: summarize([2, 2.5, 2]),
  target: atMost(2.5, summarize([2, 2.5, 2])),
};
const missed: Line = {
  what: "50 in flight",
  unit: "jobs/s",
  ours: summarize([12_345]),
  beside: { what: "a peer", value: summarize([10_000]) },
  ratio: summarize([1.2345]),
  target: atLeast(2, summarize([1.2345])),
  notes: ["took long"],
};
const unmeasured: Line = {
  what: "without a peer",
  unit: "jobs/s",
  ours: summarize([10]),
  beside: { what: "a peer", value: undefined },
  target: atLeast(2, undefined),
};
const rows: readonly RowResult[] = [
  { id: "idle", title: "Idle", lines: [measured] },
  { id: "busy", title: "Busy", lines: [missed, unmeasured] },
];

describe("a number", () => {
  test.each([
    [1234.5, "1,235"],
    [100, "100"],
    [12.345, "12.3"],
    [0.5, "0.500"],
    [0.012345, "0.0123"],
    [0, "0"],
    [-5.166, "-5.17"],
  ])("is written in the table: %d as %s", (value, text) => {
    expect(number(value)).toBe(text);
  });
});

describe("the table for the terminal", () => {
  const text = terminalTable(rows, plain);
  const lineWith = (part: string): string =>
    text.split("\n").find((line) => line.includes(part)) ?? "";

  test("shows the median, and the minimum and maximum of several rounds", () => {
    expect(lineWith("/runsync p50")).toContain("1.50 ms (1.25–2.00)");
    expect(lineWith("50 in flight")).toContain("12,345 jobs/s  a peer");
  });

  test("says whether a target is met, and says nothing without a ratio", () => {
    expect(lineWith("/runsync p50")).toMatch(/2\.00 ×\s+≤ 2\.5 ×\s+met$/);
    expect(lineWith("50 in flight")).toMatch(/1\.23 ×\s+≥ 2 ×\s+not met$/);
    expect(lineWith("without a peer")).toMatch(/a peer\s+–\s+≥ 2 ×$/);
  });

  test("begins each column at the same place in all rows", () => {
    const places = ["/runsync p50", "50 in flight"].map((part) =>
      Math.max(lineWith(part).indexOf("the floors"), lineWith(part).indexOf("a peer")),
    );
    expect(places[0]).toBe(places[1]);
    expect(text.split("\n")[0]?.indexOf("beside it")).toBe(places[0]);
  });

  test("puts notes below their row", () => {
    expect(text.indexOf("took long")).toBeGreaterThan(text.indexOf("without a peer"));
  });

  test("has the same text in colour", () => {
    const inColour = terminalTable(rows, coloured);
    expect(inColour).not.toBe(text);
    expect(stripVTControlCharacters(inColour)).toBe(text);
  });
});

test("all lines of the Markdown table have the same number of cells", () => {
  const lines = markdownTable(rows)
    .split("\n")
    .filter((line) => line.startsWith("|"));
  expect(lines).toHaveLength(7);
  expect(new Set(lines.map((line) => line.split("|").length)).size).toBe(1);
});

test("a ratio equal to the limit meets the target", () => {
  expect(atMost(2, summarize([2])).met).toBe(true);
  expect(atLeast(2, summarize([2])).met).toBe(true);
  expect(atMost(2, summarize([2.01])).met).toBe(false);
  expect(atLeast(2, summarize([1.99])).met).toBe(false);
});
