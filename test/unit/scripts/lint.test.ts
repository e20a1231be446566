/** Gives each lint rule a violation, which the rule must report. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";

const root = path.resolve(import.meta.dirname, "../../..");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sv-lint-"));
const reportShape = z.object({
  diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })),
});

/** The rule must report each text when it stands in that file. */
const planted = [
  ["no-floating-promises", "runtime/floating.ts", "async function a() {}\na();"],
  ["no-misused-promises", "runtime/misused.ts", "[1].forEach(async () => {});"],
  ["await-thenable", "runtime/await.ts", "export const a = await 1;"],
  ["no-unsafe-assignment", "runtime/unsafe.ts", `export const a = JSON.parse("1");`],
  ["no-unsafe-member-access", "runtime/member.ts", `export const a: unknown = JSON.parse("").b;`],
  ["no-explicit-any", "runtime/any.ts", "export let a: any;"],
  ["no-non-null-assertion", "runtime/bang.ts", "export const a = (b?: string) => b!.length;"],
  ["consistent-type-imports", "runtime/type.ts", `import { A } from "./a.ts";\nexport let b: A;`],
  ["no-cycle", "runtime/a.ts", `import { b } from "./b.ts";\nexport type A = 1;\nb();`],
  ["eqeqeq", "runtime/equal.ts", "export const a = (b: number) => b == 1;"],
  ["no-default-export", "runtime/default.ts", "export default 1;"],
  ["max-lines", "runtime/long.ts", "console.log();\n".repeat(301)],
  ["max-lines-per-function", "runtime/far.ts", `export function a() {\n${"1;\n".repeat(50)}}`],
  ["no-restricted-properties", "emulator/core/now.ts", "export const a = Date.now();"],
  ["no-restricted-properties", "emulator/engine/random.ts", "export const a = Math.random();"],
  ["no-restricted-globals", "runtime/core/timer.ts", "setTimeout(() => {}, 1);"],
  ["no-restricted-imports", "emulator/core/wait.ts", `export * from "node:timers/promises";`],
] as const;

let reported: ReadonlySet<string>;

beforeAll(() => {
  fs.cpSync(path.join(root, ".oxlintrc.json"), path.join(folder, ".oxlintrc.json"));
  fs.cpSync(path.join(root, "tsconfig.json"), path.join(folder, "tsconfig.json"));
  fs.symlinkSync(path.join(root, "node_modules"), path.join(folder, "node_modules"));
  const others = [["", "runtime/b.ts", `import "./a.ts";\nexport function b() {}`]] as const;
  for (const [, file, text] of [...planted, ...others]) {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    fs.writeFileSync(path.join(folder, file), `${text}\n`);
  }
  const oxlint = path.join(root, "node_modules/.bin/oxlint");
  const run = spawnSync(oxlint, ["--format", "json"], { cwd: folder, encoding: "utf8" });
  const { diagnostics } = reportShape.parse(JSON.parse(run.stdout));
  reported = new Set(
    diagnostics.map(({ code, filename }) => `${/\((.*)\)/.exec(code)?.[1]} in ${filename}`),
  );
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test.each(planted)("lint reports %s in %s", (rule, file) => {
  expect([...reported].filter((entry) => entry.endsWith(file))).toContain(`${rule} in ${file}`);
});
