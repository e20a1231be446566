/** `sv-worker run`: one job without a service, as a shell sees it. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryTree } from "../../../temporary-tree.ts";
import { fixture, tracedProcesses } from "../worker-run.ts";

const program = path.resolve(import.meta.dirname, "../../../../runtime/bin/sv-worker.ts");

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly trace: string;
}

function start(args: readonly string[], env: Record<string, string> = {}): Started {
  const trace = randomUUID();
  const child = spawn(process.execPath, [program, "run", ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, SV_GRACE_MS: "200", SV_TEST_TRACE: trace, ...env },
  });
  return { child, trace };
}

/** Whatever the end, no process may be left behind. */
async function end({ child, trace }: Started): Promise<Ended> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("The streams are pipes.");
  const said = [text(stdout), text(stderr)] as const;
  if (child.exitCode === null) await once(child, "close");
  const [out, err] = await Promise.all(said);
  expect(tracedProcesses(trace)).toEqual([]);
  return { code: child.exitCode, stdout: out, stderr: err };
}

async function run(
  args: readonly string[],
  { stdin = "", env = {} }: { stdin?: string; env?: Record<string, string> } = {},
): Promise<Ended> {
  const started = start(args, env);
  started.child.stdin?.on("error", () => {}).end(stdin);
  return end(started);
}

const lines = (json: string): unknown[] =>
  json
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);

describe("a job that completes", () => {
  test("prints its output as the last line and exits 0", async () => {
    const { code, stdout, stderr } = await run([fixture("echo"), "--input", '{"name": "Zoë"}']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '{"name":"Zoë"}\n', stderr: "" });
  });

  test("prints each chunk before it; its own log goes to stderr", async () => {
    const ended = await run([fixture("async-generator"), "--input", '{"count": 2}']);
    expect(ended.code).toBe(0);
    expect(lines(ended.stdout)).toEqual([
      { output: { number: 0 }, metrics: { stream_index: 0, output_tokens: 1 } },
      { output: { number: 1 }, metrics: { stream_index: 1, output_tokens: 2 } },
      { made: 2 },
    ]);
    expect(lines(ended.stderr)).toMatchObject([{ level: "info", msg: "tidied up" }]);
  });

  test("takes its input from a file or stdin", async () => {
    await using tree = await temporaryTree({ "input.json": '{"from": "a file"}' });
    const file = tree.path("input.json");
    const [ofFile, ofStdin] = await Promise.all([
      run([fixture("echo"), "--input-file", file]),
      run([fixture("echo")], { stdin: '{"from": "stdin"}' }),
    ]);
    expect([ofFile.stdout, ofStdin.stdout]).toEqual(['{"from":"a file"}\n', '{"from":"stdin"}\n']);
  });

  test("has the output null when the handler returns nothing", async () => {
    const ended = await run([fixture("cyclic-output"), "--input", '{"value": "nothing"}']);
    expect(ended).toMatchObject({ code: 0, stdout: "null\n" });
  });
});

describe("an upload of the handler", () => {
  const args = [fixture("uploads-as-told"), "--input", '{"way": "uploads"}'];

  test("becomes a file in the named directory", async () => {
    await using tree = await temporaryTree({});
    const { code, stdout } = await run([...args, "--objects", tree.path("made", "here")]);
    expect(code).toBe(0);
    const file = tree.path("made", "here", "job-1.txt");
    expect(fs.readFileSync(file, "utf8")).toBe("content");
    expect(lines(stdout)).toEqual([
      {
        url: pathToFileURL(file).href,
        bucket: "here",
        key: "job-1.txt",
        sizeBytes: 7,
        etag: "9a0364b9e99bb480dd25e1f0284c8555",
      },
    ]);
  });

  test("fails without a directory or settings, and the error says so", async () => {
    const { code, stderr } = await run(args);
    expect(code).toBe(1);
    expect(lines(stderr).at(-1)).toMatchObject({
      msg: expect.stringMatching(/sv-worker run takes --objects <directory> instead\.$/),
    });
  });
});

describe("a job that fails exits 1 with its failure report on stderr", () => {
  test("when the handler throws", async () => {
    const ended = await run([fixture("throws-a-string"), "--input", "{}"]);
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    expect(lines(ended.stderr)).toMatchObject([
      { level: "error", msg: "no such voice: baritone", outcome: "failed", type: "handler_error" },
    ]);
  });

  test("when its process ends", async () => {
    const ended = await run([fixture("exits-7"), "--input", "{}"]);
    expect(ended.code).toBe(1);
    expect(lines(ended.stderr).at(-1)).toMatchObject({
      outcome: "lost",
      type: "process_exited",
      exitCode: 7,
      lastLogLines: ["about to exit"],
    });
  });

  test("when it exceeds its time, even if it blocks the event loop", async () => {
    const args = [fixture("blocks-the-loop"), "--input", "{}", "--timeout-ms", "300"];
    const ended = await run(args);
    expect(ended.code).toBe(1);
    expect(lines(ended.stderr).at(-1)).toMatchObject({
      msg: "The job ran longer than its executionTimeout of 300 ms.",
      outcome: "timed-out",
      type: "execution_timeout",
    });
  });

  test("when a signal cancels it and it has cleaned up", async () => {
    const started = start([fixture("async-generator"), "--input", '{"count": 9, "pauseAt": 1}']);
    const { child } = started;
    if (child.stdout === null) throw new Error("It is a pipe.");
    const ending = end(started);
    await once(child.stdout, "data");
    child.kill("SIGINT");
    const ended = await ending;
    expect(ended.code).toBe(1);
    expect(lines(ended.stderr)).toMatchObject([
      { msg: "tidied up" },
      { msg: "The job was stopped before it was done." },
    ]);
  });
});

test("a handler that cannot be made ready exits 3 and says why", async () => {
  const ended = await run([fixture("import-fails"), "--input", "{}"]);
  expect(ended).toMatchObject({ code: 3, stdout: "" });
  expect(lines(ended.stderr)).toMatchObject([
    { level: "error", msg: "import-fails.ts cannot be imported: the weights are not here" },
  ]);
});

describe("wrong usage exits 2 with a message before anything starts", () => {
  test.each([
    [[], "There is no handler: give one, or set SV_HANDLER."],
    [["a.ts", "--input", "{"], "The input (--input) is no JSON: "],
    [["a.ts", "--input", "[]"], "The input (--input) must be a JSON object"],
    [["a.ts"], "The input (standard input) is no JSON: "],
    [["a.ts", "--input-file", "/nowhere/a.json"], "The input cannot be read: ENOENT"],
    [["a.ts", "--input", "{}", "--timeout-ms", "soon"], "--timeout-ms must be a whole number of"],
  ])("%j", async (args, sentence) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(sentence);
  });

  test("an invalid variable", async () => {
    const ended = await run([fixture("echo"), "--input", "{}"], { env: { SV_STANDBY: "yes" } });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain('SV_STANDBY must be one of 0, idle, loaded, not "yes".');
  });
});
