/** Commands of the pages in docs/ work when they are typed as written. */
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient } from "../../../runtime/client/index.ts";
import { curlIsMissing } from "../../setup/curl.ts";
import { pythonIsMissing } from "../../setup/python.ts";
import { s3ProgramsAreMissing } from "../../setup/s3-programs.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { root } from "../../unit/docs/documents.ts";
import { writeSnippets } from "../../unit/docs/snippets.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { commandsBelow, pasteAll, pointed } from "./pasted.ts";
import { openShell, type Ran } from "./shell.ts";

const SV_API_KEY = "local-key";

describe.skipIf(curlIsMissing !== undefined)("commands for an emulator of the examples", () => {
  const temporary = temporaryDirectory();
  const directory = temporary.path;
  let emulator: EmulatorProcess;

  beforeAll(async () => {
    const args = ["examples", "--data-dir", path.join(directory, "data")];
    emulator = await startEmulatorProcess({ args, env: { SV_API_KEY }, cwd: root });
  });
  afterAll(async () => {
    await emulator[Symbol.asyncDispose]();
    temporary[Symbol.dispose]();
  });

  const pasteBelow = async (file: string, heading: string): Promise<readonly Ran[]> => {
    await using shell = openShell({ cwd: root, env: { SV_API_KEY } });
    const { url } = emulator;
    const results = await pasteAll(shell, commandsBelow(file, heading), { url, directory });
    expect(results.length).toBeGreaterThan(0);
    for (const { exitCode } of results) expect(exitCode).toBe(0);
    return results;
  };

  const greeted = /"status":"COMPLETED".*"greeting":"Hello, Ada!"/;
  test.each([
    ["docs/job-interface.md", "## In short", greeted],
    ["docs/management.md", "## Which images run", greeted],
    ["docs/management.md", "## Network volumes", /"name":"models","size":40/],
    ["docs/load-balancing.md", "## Calling it", /^data: 1$[^]*^data: 3$/m],
    ["docs/webhooks.md", "## Checking the signature", /"secret":"whsec_/],
    ["docs/emulator-operations.md", "## The clock", /"offsetMs":1860000,.*"settled":true/],
  ])("%s: the commands below %s work", async (file, heading, says) => {
    const results = await pasteBelow(file, heading);
    expect(results.at(-1)?.output).toMatch(says);
    for (const { output } of results) expect(output).not.toContain('"problems"');
  });

  test.skipIf(s3ProgramsAreMissing !== undefined)(
    "docs/object-store.md: each client lists the objects of a bucket",
    async () => {
      const [, endpoint = ""] = await emulator.stderrMatch(/object store .* at (http:\S+),/);
      fs.symlinkSync("data", path.join(directory, ".sv"));
      const kept = fs.readFileSync(path.join(directory, ".sv/objects/credentials"), "utf8");
      const [, accessKeyId = ""] = /aws_access_key_id = (\S+)/.exec(kept) ?? [];
      const [, secretAccessKey = ""] = /aws_secret_access_key = (\S+)/.exec(kept) ?? [];
      const credentials = { accessKeyId, secretAccessKey };
      const client = new S3Client({
        endpoint,
        credentials,
        region: "us-east-1",
        forcePathStyle: true,
      });
      await client.send(new PutObjectCommand({ Bucket: "hello", Key: "seen.txt", Body: "seen" }));
      const commands = commandsBelow("docs/object-store.md", "## Clients").map((command) =>
        command
          .replaceAll("127.0.0.1:7081", new URL(endpoint).host)
          .replace("access_key=…", `access_key=${accessKeyId}`)
          .replace("secret_key=…", `secret_key=${secretAccessKey}`),
      );
      await using shell = openShell({ cwd: directory });
      // rclone refuses to work when this variable is set.
      await shell.run("unset AWS_CA_BUNDLE");
      const [, ...lists] = await pasteAll(shell, commands, { url: emulator.url, directory });
      expect(lists).toHaveLength(3);
      for (const { exitCode, output } of lists) {
        expect(exitCode).toBe(0);
        expect(output).toMatch(/ (?:\S+\/)?seen\.txt\n$/);
      }
    },
  );
});

test.skipIf(curlIsMissing !== undefined)(
  "docs/quick-start.md: its handler is served, called and queried",
  async () => {
    using written = writeSnippets();
    const cwd = path.join(written.directory, "greeter");
    fs.renameSync(path.join(written.directory, "docs-quick-start.md"), cwd);
    const env = { SV_API_KEY };
    await using emulator = await startEmulatorProcess({ args: ["--ephemeral"], cwd, env });
    const call = path.join(cwd, "call.ts");
    const { url } = emulator;
    fs.writeFileSync(call, pointed(fs.readFileSync(call, "utf8"), { url, directory: cwd }));
    await using shell = openShell({ cwd, env: { SV_URL: url } });
    const program = path.join(root, "dist/emulator/cli/sv-emulate.js");
    await shell.run(`npx() { shift; node '${program}' "$@"; }`);
    const commands = ["## A first job", "## Change it"].flatMap((heading) =>
      commandsBelow("docs/quick-start.md", heading),
    );
    const results = await pasteAll(shell, commands, { url, directory: cwd });
    expect(results.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0, 0, 0]);
    const [first, , status, called, , jobs, logs] = results.map(({ output }) => output);
    expect(JSON.parse(first ?? "")).toMatchObject({ output: { greeting: "Hello, Ada!" } });
    expect(status).toMatch(/"status":"(?:IN_QUEUE|IN_PROGRESS|COMPLETED)"/);
    expect(called).toBe("Bonjour, Ada!\n");
    expect(jobs?.match(/COMPLETED/g)?.length).toBeGreaterThanOrEqual(2);
    expect(logs).toMatch(/greeting/);
  },
);

test("docs/worker.md: one job runs without a service, with its input from each of three places", async () => {
  await using tree = await temporaryTree({
    "handler.ts": "export default ({ input }) => `Hello, ${input.name}!`;\n",
    "job.json": '{"name": "Grace"}\n',
  });
  await using shell = openShell({ cwd: tree.root });
  const worker = path.join(root, "dist/runtime/sv-worker.cjs");
  await shell.run(`sv-worker() { '${process.execPath}' '${worker}' "$@" 2>/dev/null; }`);
  const commands = commandsBelow("docs/worker.md", "## One job without a service");
  const results = await pasteAll(shell, commands, { url: "", directory: tree.root });
  const outputs = results.map(({ exitCode, output }) => [exitCode, output]);
  expect(outputs).toEqual([
    [0, '"Hello, Ada!"\n'],
    [0, ""],
    [0, '"Hello, Ada!"\n'],
  ]);
  expect(fs.readFileSync(tree.path("result.jsonl"), "utf8")).toBe('"Hello, Grace!"\n');
});

test("docs/storage.md: one job runs by the command, and its uploads are files", async () => {
  using written = writeSnippets();
  const cwd = path.join(written.directory, "docs-storage.md");
  const [command = ""] = commandsBelow("docs/storage.md", "## Trying it out");
  await using shell = openShell({ cwd });
  const worker = path.join(root, "dist/runtime/sv-worker.cjs");
  await shell.run(`npx() { shift; '${process.execPath}' '${worker}' "$@" 2>/dev/null; }`);
  const { output, exitCode } = await shell.run(command);
  expect(exitCode).toBe(0);
  const { url, sizeBytes } = JSON.parse(output) as Record<string, unknown>;
  expect(sizeBytes).toBe(18);
  expect(fs.readFileSync(new URL(String(url)), "utf8")).toBe("a picture of a cat");
});

test.skipIf(pythonIsMissing !== undefined)(
  "docs/live-workers.md: a program for the live service, started by hand, takes jobs",
  async () => {
    const endpoint = { handler: "./never-loaded.ts", workersMin: 0, workersMax: 0 };
    await using tree = await temporaryTree({
      "sv.config.json": JSON.stringify({ endpoints: { "my-endpoint": endpoint } }),
      "never-loaded.ts": "export default () => 0;\n",
    });
    const program = path.join(root, "test/fixtures/live-worker/handler.py");
    fs.copyFileSync(program, tree.path("handler.py"));
    const env = { SV_API_KEY };
    await using emulator = await startEmulatorProcess({ cwd: tree.root, env });
    await using shell = openShell({ cwd: tree.root, env });
    await shell.run('python3() { setsid python3 "$@" > worker.log 2>&1 & echo "$!"; }');
    const commands = commandsBelow("docs/live-workers.md", "## Workers that are started by hand");
    const results = await pasteAll(shell, commands, { url: emulator.url, directory: tree.root });
    const pid = Number(results.at(-1)?.output);
    try {
      await using client = createClient({ baseUrl: emulator.url, apiKey: SV_API_KEY });
      const job = await client.endpoint<object>("my-endpoint").runSync({ do: "echo", a: 1 });
      expect(job).toMatchObject({ output: { do: "echo", a: 1 }, workerId: "by-hand" });
    } finally {
      // It leads a process group: it has a child that pings.
      process.kill(-pid, "SIGKILL");
    }
  },
);
