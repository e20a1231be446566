/** Generated code is committed, so a build needs no generator; it must match the generator's output. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";

const root = path.resolve(import.meta.dirname, "../../..");
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sv-proto-"));

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

test("the generated session code matches worker.proto (npm run proto renews it)", () => {
  const buf = path.join(root, "node_modules/.bin/buf");
  const run = spawnSync(buf, ["generate", "--output", folder], { cwd: root, encoding: "utf8" });
  expect(run.stderr).toBe("");
  const generated = "runtime/protocol/generated/worker.ts";
  const fresh = fs.readFileSync(path.join(folder, generated), "utf8");
  expect(fs.readFileSync(path.join(root, generated), "utf8")).toBe(fresh);
});
