/** The built programs on an old Node: this Node, which reports another version and lacks newer features. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { temporaryTree } from "../temporary-tree.ts";

const dist = path.resolve(import.meta.dirname, "../../dist");

const NODE_20 = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } });
Object.defineProperty(process, "version", { value: "v20.19.0" });
delete require("node:module").enableCompileCache;`;

test.each([
  ["sv-emulate", "emulator/cli/sv-emulate.js"],
  ["sv-worker", "runtime/sv-worker.cjs"],
])("%s says which Node it needs, and exits with 1", async (name, file) => {
  await using tree = await temporaryTree({ "node-20.cjs": NODE_20 });
  const args = ["--require", tree.path("node-20.cjs"), path.join(dist, file), "--version"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: "",
    stderr: `error: ${name} needs Node 24 or newer; this is v20.19.0\n`,
  });
});
