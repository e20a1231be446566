/** The built `sv-emulate exec`: the command finds the service, and the service ends with the command. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { XMLParser } from "fast-xml-parser";
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { program } from "../emulator-process.ts";

const tree = async (command: string) =>
  temporaryTree({
    "hello/handler.mjs":
      "export default async ({ input }) => { if (input.fails) throw new Error('as told'); return `Hello, ${input.name}!`; };",
    "command.mjs": command,
  });

/** Runs the command beside the service; `told` is called with each piece of its output. */
async function exec(
  cwd: string,
  args: readonly string[],
  told: (piece: string, kill: (signal: NodeJS.Signals) => void) => void = () => undefined,
) {
  const { SV_API_KEY: _, ...env } = process.env;
  const child = spawn(process.execPath, [program, "exec", ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  child.stdout.on("data", (piece: Buffer) => {
    stdout += piece.toString();
    told(stdout, (signal) => void child.kill(signal));
  });
  const stderr = text(child.stderr);
  const [code, signal] = await once(child, "close");
  return { code, signal, stdout, stderr: await stderr };
}

const CALLS = `
  const call = (path, body) => fetch(process.env.SV_URL_HELLO + path, {
    method: "POST", headers: { authorization: "Bearer " + process.env.SV_API_KEY }, body: JSON.stringify(body) });
  const answer = await (await call("/runsync", { input: { name: "Ada" } })).json();
  await call("/runsync", { input: { fails: true } });
  console.log(answer.output, process.env.SV_URL_HELLO.startsWith(process.env.SV_URL), process.argv.slice(2));
  process.exit(7);
`;

test("the command finds the service in its variables, its exit code is passed on, and its jobs are reported", async () => {
  await using place = await tree(CALLS);
  const args = ["--junit", "jobs.xml", "--", process.execPath, "command.mjs", "--port", "--"];
  const run = await exec(place.path("."), args);
  expect(run).toMatchObject({ code: 7, signal: null, stderr: "" });
  expect(run.stdout).toBe("Hello, Ada! true [ '--port', '--' ]\n");
  const report: unknown = new XMLParser({ ignoreAttributes: false }).parse(
    await readFile(place.path("jobs.xml"), "utf8"),
  );
  expect(report).toMatchObject({
    testsuites: {
      "@_tests": "2",
      "@_failures": "1",
      testsuite: {
        "@_name": "hello",
        testcase: [{}, { failure: { "@_type": "handler_error", "@_message": "as told" } }],
      },
    },
  });
});

test("exec serves a whole config, and the command has the variables of env files", async () => {
  const config = {
    docker: "off",
    endpoints: {
      hello: { handler: "hello", workersMin: 0, env: { NAME: { fromEnv: "GREETED" } } },
      "big-model": { image: "example/model:1", workersMin: 0 },
    },
    networkVolumes: { models: { size: 1 } },
  };
  await using place = await temporaryTree({
    "sv.config.json": JSON.stringify(config),
    ".env": "GREETED=Ada",
    "hello/handler.mjs": "export default () => process.env.NAME;",
    "command.mjs": `
      const authorization = "Bearer " + process.env.SV_API_KEY;
      const ask = async (address, init) => (await fetch(address, { ...init, headers: { authorization } })).json();
      const { SV_URL, SV_URL_HELLO, SV_URL_BIG_MODEL, GREETED } = process.env;
      const { output } = await ask(SV_URL_HELLO + "/runsync", { method: "POST", body: '{"input":{}}' });
      const { workers } = await ask(SV_URL_BIG_MODEL + "/health");
      const volumes = await ask(SV_URL + "/v1/networkvolumes");
      console.log(GREETED, output, workers.running, volumes.map(({ name }) => name));`,
  });
  const args = ["--env-file", ".env", "--", process.execPath, "command.mjs"];
  const run = await exec(place.path("."), args);
  expect(run).toMatchObject({ code: 0, stderr: "", stdout: "Ada Ada 0 [ 'models' ]\n" });
});

test("a signal reaches the command, and ends both", async () => {
  await using place = await tree('console.log("here"); setInterval(() => {}, 1000);');
  const run = await exec(
    place.path("."),
    ["--", process.execPath, "command.mjs"],
    (stdout, kill) => stdout === "here\n" && kill("SIGTERM"),
  );
  expect(run).toMatchObject({ code: null, signal: "SIGTERM" });
});

test("exec exits with the code of a command that handles a signal", async () => {
  await using place = await tree(
    'process.on("SIGTERM", () => process.exit(3)); console.log("here"); setInterval(() => {}, 1000);',
  );
  const run = await exec(
    place.path("."),
    ["--", process.execPath, "command.mjs"],
    (stdout, kill) => stdout === "here\n" && kill("SIGTERM"),
  );
  expect(run).toMatchObject({ code: 3, signal: null });
});

test("exec exits with the shell's code for an unknown command", async () => {
  await using place = await tree("");
  const run = await exec(place.path("."), ["--", "no-such-command"]);
  expect(run).toMatchObject({ code: 127, stderr: "error: there is no command no-such-command\n" });
});
