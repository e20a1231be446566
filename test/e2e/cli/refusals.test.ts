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

describe("wrong usage ends with 2 and starts nothing", () => {
  test.each([
    [
      "an unknown flag",
      ["echo.js", "--prot", "1"],
      {},
      "error: unknown option '--prot'\n(Did you mean --port?)",
    ],
    ["a missing target", ["eco.js"], {}, "error: eco.js does not exist; did you mean echo.js?"],
    [
      "a port that is none",
      ["echo.js"],
      { SV_PORT: "http" },
      'error: SV_PORT must be an integer from 0 to 65535 (0 takes any free port); got "http"',
    ],
    [
      "a bad config",
      ["bad.json"],
      {},
      `error: bad.json:1:44: endpoints.a has the unknown key "worker_max"; did you mean workersMax? known are ${knownKeysAt(["endpoints", "a"]).join(", ")}`,
    ],
    [
      "no handler anywhere",
      [],
      {},
      "error: no targets were given, and the current directory holds no handler; name a handler file, a directory with a file handler.ts or server.ts (or .mts, .tsx, .js, .mjs, .cjs), or a sv.config.json",
    ],
  ])("%s", async (_, args, env, sentence) => {
    await using tree = await temporaryTree({
      ...FILES,
      "bad.json": '{"endpoints": {"a": {"handler": "echo.js", "worker_max": 1}}}',
    });
    expect(await runEmulatorProcess({ args, env, cwd: tree.root })).toEqual({
      code: 2,
      signal: null,
      stdout: "",
      stderr: sentence,
    });
  });
});

describe("an address that cannot be opened ends with 3", () => {
  test("a port in use", async () => {
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
    // One that loads a model for minutes would have begun with it.
    expect(run.stderr).not.toContain("worker started");
  });

  test("a host that is not this machine", async () => {
    await using tree = await temporaryTree(FILES);
    // Reserved for documentation, so no machine has it.
    const args = ["echo.js", "--host", "192.0.2.1"];
    const run = await runEmulatorProcess({ args, cwd: tree.root });
    expect(run).toMatchObject({ code: 3, stdout: "" });
    expect(complaintIn(run.stderr)).toMatchObject({
      msg: "192.0.2.1 is no address of this machine",
    });
  });
});

describe("a data directory that cannot be used ends with 4", () => {
  test("one that another emulator uses, which goes on", async () => {
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

  test("a file in its place", async () => {
    await using tree = await temporaryTree({ ...FILES, state: "a file" });
    const args = ["echo.js", "--data-dir", "state"];
    const run = await runEmulatorProcess({ args, cwd: tree.root });
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(complaintIn(run.stderr)).toMatchObject({
      msg: `${tree.path("state")} cannot be a data directory because a file is in its place; choose another`,
    });
  });

  test("one that cannot be made where it is to be", async () => {
    await using tree = await temporaryTree(FILES);
    await symlink("nowhere", tree.path("link"));
    const args = ["echo.js", "--data-dir", "link/state"];
    const run = await runEmulatorProcess({ args, cwd: tree.root });
    expect(run).toMatchObject({ code: 4, stdout: "" });
    expect(complaintIn(run.stderr)).toMatchObject({
      msg: `${tree.path("link/state")} cannot be made: no directories can be made there; choose another data directory`,
    });
  });

  test("one that a newer version wrote", async () => {
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

  test("one that is damaged", async () => {
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
