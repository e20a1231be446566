/** Starts of the built `sv-emulate` that cannot succeed: each ends with its exit code and one sentence that says what to do. */
import { once } from "node:events";
import { symlink } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { knownKeysAt } from "../../../emulator/cli/config/config-schema.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { runEmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { call } from "./call.ts";

const FILES = { "echo.js": "export default (job) => job.input;" };

/** The error of an emulator with a JSON log: its last line, the only one of level error. */
function complaintIn(stderr: string): unknown {
  const entries = stderr.split("\n").map((line): unknown => JSON.parse(line));
  return entries.at(-1);
}

test("wrong usage exits with 2, starts nothing, and names the argument", async () => {
  const config = '{"endpoints": {"a": {"handler": "echo.js", "worker_max": 1}}}';
  await using tree = await temporaryTree({ ...FILES, "bad.json": config });
  const known = knownKeysAt(["endpoints", "a"]).join(", ");
  expect(await runEmulatorProcess({ args: ["bad.json"], cwd: tree.root })).toEqual({
    code: 2,
    signal: null,
    stdout: "",
    stderr: `error: bad.json:1:44: endpoints.a has the unknown key "worker_max"; did you mean workersMax? known are ${known}`,
  });
});

test("a port in use exits with 3", async () => {
  const config = { endpoints: { echo: { handler: "echo.js", workersMin: 1 } } };
  await using tree = await temporaryTree({ ...FILES, "c.json": JSON.stringify(config) });
  await using server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const args = ["c.json", "--port", String(port)];
  const run = await runEmulatorProcess({ args, cwd: tree.root });
  expect(run).toMatchObject({ code: 3, stdout: "" });
  expect(complaintIn(run.stderr)).toMatchObject({
    level: "error",
    exitCode: 3,
    msg: `port ${port} on 127.0.0.1 is in use by another program`,
  });
  // A handler that loads a model for minutes would have begun to load.
  expect(run.stderr).not.toContain("worker started");
});

describe("an emulator exits with 4 when its data directory", () => {
  test("is in use by another emulator, which is not disturbed", async () => {
    await using tree = await temporaryTree(FILES);
    const options = { args: ["echo.js"], cwd: tree.root };
    await using first = await startEmulatorProcess(options);
    const run = await runEmulatorProcess(options);
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(complaintIn(run.stderr)).toMatchObject({
      msg: expect.stringMatching(
        `the data directory ${tree.path(".sv")} is in use by another emulator \\(process ${first.child.pid}\\)`,
      ),
    });
    expect(await call(first, "echo/runsync", { input: { a: 1 } })).toMatchObject({
      output: { a: 1 },
    });
  });

  test("cannot be created", async () => {
    await using tree = await temporaryTree(FILES);
    await symlink("nowhere", tree.path("link"));
    const args = ["echo.js", "--data-dir", "link/state"];
    const run = await runEmulatorProcess({ args, cwd: tree.root });
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(complaintIn(run.stderr)).toMatchObject({
      msg: `${tree.path("link/state")} cannot be made: no directories can be made there; choose another data directory`,
    });
  });

  test("is of a newer version", async () => {
    await using tree = await temporaryTree(FILES);
    const options = { args: ["echo.js"], cwd: tree.root };
    await using emulator = await startEmulatorProcess(options);
    await emulator.stop();
    const db = new DatabaseSync(tree.path(".sv/store.db"));
    db.exec("PRAGMA user_version = 1000");
    db.close();
    const run = await runEmulatorProcess(options);
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(complaintIn(run.stderr)).toMatchObject({
      msg: expect.stringContaining("was written by a newer version of sv-runtime"),
    });
  });

  test("is damaged", async () => {
    await using tree = await temporaryTree({ ...FILES, ".sv/store.db": "x".repeat(8_192) });
    const run = await runEmulatorProcess({ args: ["echo.js"], cwd: tree.root });
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(complaintIn(run.stderr)).toMatchObject({ msg: expect.stringContaining("damaged") });
  });
});

test("SV_DEBUG=1 adds the stack to a refusal, otherwise there is none", async () => {
  await using tree = await temporaryTree(FILES);
  const options = { args: ["gone.js"], cwd: tree.root };
  const quiet = await runEmulatorProcess(options);
  const loud = await runEmulatorProcess({ ...options, env: { SV_DEBUG: "1" } });
  expect(quiet).toMatchObject({ code: 2, stderr: "error: gone.js does not exist" });
  expect(loud.code).toBe(2);
  expect(loud.stderr).toMatch(/gone\.js does not exist\n +at /);
});
