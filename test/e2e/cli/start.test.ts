/** Starts the built `sv-emulate` on handlers outside the project and calls them. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { program, startEmulatorProcess } from "../emulator-process.ts";
import { call } from "./call.ts";
import { spawnInTerminal } from "./terminal.ts";
import { testInFull } from "../../setup/size.ts";

const ECHO = "export default (job) => job.input;";

test("a start serves each handler of a directory as an endpoint, and names the handlers that cannot be loaded", async () => {
  await using tree = await temporaryTree({
    "all/broken/handler.ts": "export default (job => job.input;",
    "all/throws/handler.js": 'throw new Error("no model here");',
    "all/echo/handler.ts": "export default (job: { input: object }): object => job.input;",
    "all/count/handler.mjs":
      "export const aggregate = true; export default async function* () { yield 1; yield 2; }",
  });
  await using emulator = await startEmulatorProcess({ args: ["all"], cwd: tree.root });
  expect(emulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(await call(emulator, "echo/runsync", { input: { a: [1] } })).toMatchObject({
    status: "COMPLETED",
    output: { a: [1] },
  });
  expect(await call(emulator, "count/runsync", { input: {} })).toMatchObject({
    status: "COMPLETED",
    output: [1, 2],
  });
  await emulator.stderrMatch(/"level":"error".*broken\/handler\.ts/);
  await emulator.stderrMatch(/"level":"error".*no model here/);
  expect(await emulator.stop()).toEqual({ code: 0, signal: null });
  expect(emulator.stdoutLines).toEqual([`ready ${emulator.url}`]);
});

test("without targets the current directory is served by its config", async () => {
  await using tree = await temporaryTree({
    "mode.js": "export default () => process.env.MODE;",
    "sv.config.json": JSON.stringify({
      endpoints: { configured: { handler: "./mode.js", env: { MODE: "fast" } } },
      dataDir: "state",
    }),
  });
  await using emulator = await startEmulatorProcess({ cwd: tree.root });
  expect(await call(emulator, "configured/runsync", { input: {} })).toMatchObject({
    output: "fast",
  });
  expect(await readdir(tree.root)).toEqual(expect.arrayContaining(["state"]));
  expect(await readdir(tree.root)).not.toContain(".sv");
});

test("--open opens the announced page in a browser once it answers, and --ephemeral leaves nothing behind", async () => {
  await using tree = await temporaryTree({ "echo.js": ECHO });
  await mkdir(tree.path("bin"));
  const script = `#!/bin/sh\necho "$@" > '${tree.path("opened")}'\n`;
  await writeFile(tree.path("bin/xdg-open"), script, { mode: 0o755 });
  const env = { PATH: `${tree.path("bin")}:${process.env["PATH"]}` };
  const args = ["dev", "echo.js", "--ephemeral", "--open"];
  await using emulator = await startEmulatorProcess({ args, cwd: tree.root, env });
  const opened = () => readFile(tree.path("opened"), "utf8").catch(() => "");
  await expect.poll(opened).toMatch(/\n$/u);
  const page = (await opened()).trim();
  expect(page.startsWith(`${emulator.url}/`)).toBe(true);
  const answer = await fetch(page, { headers: { accept: "text/html" } });
  expect(answer.headers.get("content-type")).toContain("text/html");
  expect(await call(emulator, "echo/runsync", { input: {} })).toMatchObject({ output: {} });
  await emulator.stop();
  expect((await readdir(tree.root)).toSorted()).toEqual(["bin", "echo.js", "opened"]);
});

test("a generated key is shown once, stays valid over restarts, and SV_API_KEY replaces it", async () => {
  await using tree = await temporaryTree({ "echo.js": ECHO });
  const options = { args: ["echo.js"], cwd: tree.root, env: { SV_API_KEY: "" } };
  const isGood = async (emulator: { url: string; apiKey: undefined }, key: string) =>
    "jobs" in (await call(emulator, "echo/health", undefined, key));

  await using first = await startEmulatorProcess(options);
  const [, key = ""] = await first.stderrMatch(/API key \(shown once\): ([\w-]+)/);
  expect(await isGood({ url: first.url, apiKey: undefined }, key)).toBe(true);
  await first.stop();

  await using second = await startEmulatorProcess(options);
  expect(await isGood({ url: second.url, apiKey: undefined }, key)).toBe(true);
  await second.stop();
  expect(second.stderrLines.join("\n")).not.toContain(key);
  expect(second.stderrLines.join("\n")).toContain("to set a new one, start with SV_API_KEY=");

  await using third = await startEmulatorProcess({ ...options, env: { SV_API_KEY: "mine" } });
  expect(await isGood({ url: third.url, apiKey: undefined }, key)).toBe(false);
  expect(await isGood({ url: third.url, apiKey: undefined }, "mine")).toBe(true);
});

const TALKS = `export default (job, { log }) => {
  console.log("said aloud");
  log.warn("logged", { degrees: 90 });
  return null;
};`;

test("each line of the JSON log is an object, and a handler's output has the id of its job", async () => {
  await using tree = await temporaryTree({ "talks.js": TALKS });
  await using emulator = await startEmulatorProcess({ args: ["talks.js"], cwd: tree.root });
  const { id } = await call(emulator, "talks/runsync", { input: {} });
  await emulator.stderrMatch(/logged/);
  await emulator.stop();
  const entries = emulator.stderrLines.map((line): unknown => JSON.parse(line));
  for (const entry of entries) {
    expect(entry).toMatchObject({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      level: expect.stringMatching(/^(debug|info|warn|error)$/),
      msg: expect.any(String),
    });
  }
  const handlers = { source: "handler", endpointId: "talks", jobId: id };
  expect(entries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ ...handlers, msg: "said aloud", stream: "stdout" }),
      expect.objectContaining({ ...handlers, msg: "logged", level: "warn", degrees: 90 }),
    ]),
  );
});

test("in a terminal a complete example call follows the ready line, and Ctrl-C stops the emulator", async () => {
  await using tree = await temporaryTree({
    "greet/handler.js": "export default ({ input }) => `Hello, ${input.name.trim()}!`;",
    "greet/README.md": `curl -d '{"input":{"name":"Ada"}}'`,
  });
  const command = [process.execPath, program, "greet", "--port", "0"];
  const terminal = spawnInTerminal(command, {
    cwd: tree.root,
    env: { PATH: process.env["PATH"], SV_API_KEY: "typed-key" },
  });
  await using _ = { [Symbol.asyncDispose]: async () => void terminal.kill() };
  const closed = once(terminal, "close");
  let text = "";
  const pasted = Promise.withResolvers<string>();
  terminal.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    const line = /^ {2}(curl .*)\r\n/m.exec(text)?.[1];
    if (line !== undefined) pasted.resolve(line);
  });
  const answer = await promisify(execFile)("/bin/sh", ["-c", await pasted.promise]);
  expect(JSON.parse(answer.stdout)).toMatchObject({ status: "COMPLETED", output: "Hello, Ada!" });
  terminal.stdin.write("\u0003");
  const [code] = await closed;
  const url = /^ready (http:\S+)\r$/m.exec(text)?.[1];
  expect(text).toContain(`${url}/docs\r\n`);
  expect(text).toContain("stopping: running jobs finish first");
  expect(code).toBe(0);
});

testInFull("a log without a reader delays neither a job nor the exit", async () => {
  await using tree = await temporaryTree({
    "loud.js": `export default (job) => {
      for (let line = 0; line < 600; line++) console.log("x".repeat(2_000));
      return job.input;
    };`,
  });
  await using emulator = await startEmulatorProcess({ args: ["loud.js"], cwd: tree.root });
  emulator.child.stderr.pause();
  for (let count = 0; count < 5; count++) {
    expect(await call(emulator, "loud/runsync", { input: { count } })).toMatchObject({
      status: "COMPLETED",
      output: { count },
    });
  }
  emulator.child.kill("SIGTERM");
  expect(await once(emulator.child, "exit")).toEqual([null, "SIGKILL"]);
  emulator.child.stderr.resume();
});

test("--version and --help start nothing", async () => {
  await using tree = await temporaryTree({});
  const run = async (flag: string) => {
    const child = spawn(process.execPath, [program, flag], { cwd: tree.root });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    const [code] = await once(child, "close");
    return { code, text };
  };
  expect(await run("--version")).toEqual({
    code: 0,
    text: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  expect(await run("--help")).toEqual({
    code: 0,
    text: expect.stringMatching(/^Usage: sv-emulate/),
  });
});

test.each([
  "emulator/service.cjs",
  "runtime/worker-program.cjs",
  "runtime/source/service-job-source.cjs",
])("%s is ASCII: with one other character a start would read twice as many bytes", async (file) => {
  const text = await readFile(new URL(`../../../dist/${file}`, import.meta.url), "utf8");
  expect(/\P{ASCII}/u.exec(text)).toBeNull();
});
