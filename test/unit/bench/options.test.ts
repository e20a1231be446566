/** The benchmark's command line. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { builtEmulator } from "../../../bench/emulator-process.ts";
import { parseOptions } from "../../../bench/options.ts";

const ROWS = ["idle", "throughput", "spawn"];

test("without options every row is run at full length", () => {
  expect(parseOptions([], ROWS)).toEqual({ rows: ROWS, quick: false, against: undefined });
});

test("rows can be chosen singly or together, and keep the table's order", () => {
  const chosen = { rows: ["idle", "spawn"], quick: true, against: undefined };
  expect(parseOptions(["--only", "spawn,idle", "--quick"], ROWS)).toEqual(chosen);
  expect(parseOptions(["--quick", "--only", "spawn", "--only", "idle"], ROWS)).toEqual(chosen);
});

test("an unknown row is refused, and the known ones are named", () => {
  expect(() => parseOptions(["--only", "speed"], ROWS)).toThrow(
    'There is no row "speed". The rows are: idle, throughput, spawn.',
  );
});

test("an unknown flag is refused", () => {
  expect(() => parseOptions(["--fast"], ROWS)).toThrow("--fast");
});

test("another checkout is found relative to the current folder", () => {
  const { against } = parseOptions(["--against", "../before"], ROWS);
  expect(against).toBe(path.resolve("../before"));
});

test("a folder that is no checkout, and a checkout that is not built, are refused", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "against-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  expect(() => builtEmulator(folder)).toThrow(`${folder} is no checkout of this project.`);
  fs.writeFileSync(path.join(folder, "package.json"), "{}");
  expect(() => builtEmulator(folder)).toThrow(
    `${folder} is not built: run npm run build there first.`,
  );
  const program = path.join(folder, "dist/emulator/cli/sv-emulate.js");
  fs.mkdirSync(path.dirname(program), { recursive: true });
  fs.writeFileSync(program, "");
  expect(builtEmulator(folder)).toBe(program);
});
