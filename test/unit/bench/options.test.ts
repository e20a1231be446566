/** The benchmark's command line. */
import { expect, test } from "vitest";
import { parseOptions } from "../../../bench/options.ts";

const ROWS = ["idle", "throughput", "spawn"];

test("without options every row is run at full length", () => {
  expect(parseOptions([], ROWS)).toEqual({ rows: ROWS, quick: false });
});

test("rows can be chosen one by one or together, and keep the table's order", () => {
  const chosen = { rows: ["idle", "spawn"], quick: true };
  expect(parseOptions(["--only", "spawn,idle", "--quick"], ROWS)).toEqual(chosen);
  expect(parseOptions(["--quick", "--only", "spawn", "--only", "idle"], ROWS)).toEqual(chosen);
});

test("a row that is not there is refused, and the others are named", () => {
  expect(() => parseOptions(["--only", "speed"], ROWS)).toThrow(
    'There is no row "speed". The rows are: idle, throughput, spawn.',
  );
});

test("an unknown flag is refused", () => {
  expect(() => parseOptions(["--fast"], ROWS)).toThrow("--fast");
});
