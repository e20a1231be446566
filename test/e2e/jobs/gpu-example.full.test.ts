/** The example with onnxruntime on a machine without CUDA: it runs on the CPU, also with a GPU that is only simulated. */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../../runtime/client/index.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { runToEnd } from "../run-to-end.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const INPUT = {
  rows: [
    [0, 0, 1, 1],
    [0, 0, 1, 1],
    [0, 0, 1, 1],
  ],
};
const OUTPUT = {
  provider: "cpu",
  edges: [
    [0, 3.162, 4.243, 4.243],
    [0, 4, 4, 4],
    [0, 3.162, 4.243, 4.243],
  ],
};

const temporary = temporaryDirectory();
const cwd = path.join(temporary.path, "edges");

beforeAll(async () => {
  await cp(path.join(root, "examples/gpu/edges"), cwd, { recursive: true });
  const installed = await runToEnd("npm", ["ci", "--ignore-scripts"], { cwd, env: process.env });
  assert.equal(installed.code, 0, installed.stderr);
});
afterAll(() => temporary[Symbol.dispose]());

test("a worker without a GPU runs it on the CPU", async () => {
  const program = path.join(root, "dist/runtime/sv-worker.cjs");
  const args = [program, "run", "handler.js", "--input", JSON.stringify(INPUT)];
  const { stdout } = await runToEnd(process.execPath, args, { cwd, env: process.env });
  expect(JSON.parse(stdout)).toEqual(OUTPUT);
});

test("an endpoint with a simulated GPU runs it on the CPU, and its log says why", async () => {
  const emulator = await startEmulatorProcess({
    args: ["sv.config.json", "--ephemeral", "--gpus", "simulate"],
    cwd,
  });
  await using client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
  const { output } = await client.endpoint("edges").runSync(INPUT);
  expect(output).toEqual(OUTPUT);
  expect(emulator.stderrLines.join("\n")).toContain("CUDA cannot be used, so the CPU is");
  expect(await emulator.stop()).toMatchObject({ code: 0 });
});
