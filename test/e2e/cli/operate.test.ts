/**
 * Other commands operate a running `sv-emulate`: they list, follow, measure and trace it, and a shell completes
 * them.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { startReceiver, type Receiver } from "../../unit/webhooks/receiver.ts";
import {
  type EmulatorProcess,
  program,
  type Run,
  runEmulatorProcess,
  startEmulatorProcess,
} from "../emulator-process.ts";
import { call } from "./call.ts";

const handler = path.resolve(import.meta.dirname, "../../fixtures/handlers/names-its-trace.ts");
const ENDPOINT = "names-its-trace";

let collector: Receiver;
let tree: TemporaryTree;
let emulator: EmulatorProcess;

beforeAll(async () => {
  collector = await startReceiver();
  tree = await temporaryTree({
    "data/some.txt": "",
    "sv-emulate": `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`,
    "alone/sv-runtime": `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`,
  });
  await chmod(tree.path("sv-emulate"), 0o755);
  await chmod(tree.path("alone/sv-runtime"), 0o755);
  emulator = await startEmulatorProcess({
    args: [handler, "--log", "json"],
    cwd: tree.root,
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9/unused",
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url,
    },
  });
});

afterAll(async () => {
  await emulator[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
  await tree[Symbol.asyncDispose]();
});

/** Runs a second `sv-emulate` against the first. */
function operate(...args: string[]): Promise<Run> {
  const env = { SV_API_KEY: emulator.apiKey ?? "", SV_URL: emulator.url, SV_PORT: "" };
  return runEmulatorProcess({ args, env });
}

test("commands in the directory of a running emulator need neither its address nor a key", async () => {
  const env = { SV_API_KEY: "", SV_URL: "", SV_PORT: "" };
  const cwd = tree.path("alone");
  const { code, stdout, stderr } = await runEmulatorProcess({
    ...{ args: ["run", ENDPOINT, '{"a":1}'], cwd, env },
  });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("COMPLETED") });
  expect(JSON.parse(stdout)).toBeDefined();
  const elsewhere = await runEmulatorProcess({ args: ["run", ENDPOINT], cwd: "/", env });
  expect(elsewhere.code).toBe(6);
});

test("the command open prints a link that opens the dashboard once", async () => {
  const { code, stdout } = await operate("open");
  expect(code).toBe(0);
  const link = new URL(stdout.trim());
  expect(link.origin).toBe(emulator.url);
  const enter = () =>
    fetch(`${emulator.url}/emulator/session`, {
      method: "POST",
      headers: { origin: emulator.url, "x-sv-dashboard": "1" },
      body: JSON.stringify({ ticket: link.searchParams.get("ticket") }),
    });
  expect((await enter()).status).toBe(201);
  expect((await enter()).status).toBe(401);
  const json = await operate("open", "--json");
  expect(JSON.parse(json.stdout)).toEqual({ link: expect.stringContaining("/?ticket=") });
});

test("jobs are submitted, listed, shown and found in the log", async () => {
  const done = await call(emulator, `${ENDPOINT}/runsync`, { input: { n: 7 } });
  const id = String(done["id"]);
  const jobs = await operate("jobs", "--status", "COMPLETED");
  expect(jobs).toMatchObject({ code: 0, stderr: "" });
  expect(jobs.stdout).toContain(`${id}  ${ENDPOINT}  COMPLETED`);
  // Outside a terminal there are no colours.
  expect(jobs.stdout).not.toContain("\u001B");
  const job = await operate("job", id, "--json");
  expect(JSON.parse(job.stdout)).toMatchObject({ id, status: "COMPLETED", input: { n: 7 } });
  const retried = await operate("retry", id);
  expect(retried).toMatchObject({ code: 7, stdout: "" });
  expect(retried.stderr).toMatch(
    /^error: .* only a job that is FAILED or TIMED_OUT can be retried/,
  );
  const logs = await operate("logs", ENDPOINT, "--json");
  expect(logs.code).toBe(0);
  const messages = logs.stdout.split("\n").map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(messages).toContain("worker is ready");
});

test("a job is saved as a file and run again, and the clock is advanced", async () => {
  await call(emulator, `${ENDPOINT}/runsync`, { input: { n: 8 } });
  const file = tree.path("job.json");
  expect(await operate("job", "--last", "--save", file)).toMatchObject({ code: 0, stderr: "" });
  const again = await operate("run", "--from", file, "--json");
  expect(again).toMatchObject({ code: 0, stderr: "" });
  const { id, input } = JSON.parse(again.stdout) as { id: string; input: unknown };
  expect(input).toEqual({ n: 8 });
  expect((await operate("why", `…${id.slice(-14)}`)).stdout).toContain(`Job ${id} of`);
  expect((await operate("clock", "+1s")).stdout).toMatch(/^now .*ahead of real time\)\n/);
  expect(await operate("webhooks", "--json")).toMatchObject({ code: 0, stdout: "[]" });
});

test("the command logs follows the log until Ctrl-C, and then exits with 0", async () => {
  const env = { ...process.env, SV_URL: emulator.url, SV_API_KEY: emulator.apiKey };
  const follower = spawn(process.execPath, [program, "logs", "--follow", "--json"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(follower.stdout, "data");
  follower.kill("SIGINT");
  expect(await once(follower, "exit")).toEqual([0, null]);
});

test("without an emulator the commands say how to start one", async () => {
  const { code, stderr } = await operate("endpoints", "--url", "http://127.0.0.1:9");
  expect(code).toBe(6);
  expect(stderr).toMatch(/^error: no emulator answers at http:\/\/127\.0\.0\.1:9: .*Start one/);
});

test("the metrics count the commits of the store", async () => {
  const response = await fetch(`${emulator.url}/metrics`, {
    headers: { authorization: `Bearer ${emulator.apiKey}` },
  });
  const text = await response.text();
  const [, commits = ""] = /^sv_store_commit_duration_seconds_count (\d+)$/m.exec(text) ?? [];
  expect(Number(commits)).toBeGreaterThan(0);
  expect(text).toMatch(/^sv_worker_starts_total\{endpoint="names-its-trace"\} \d+$/m);
});

test("a handler gets the id of its execution span, which the collector receives in the caller's trace", async () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const response = await fetch(`${emulator.url}/v2/${ENDPOINT}/runsync`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${emulator.apiKey}`,
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    },
    body: JSON.stringify({ input: {} }),
  });
  const { output } = (await response.json()) as { output: { traceparent: string } };
  const [, seenTrace, execution = ""] = output.traceparent.split("-");
  expect(seenTrace).toBe(traceId);
  const sent = () => collector.received.map(({ text }) => text).join("");
  await expect.poll(sent).toContain(`"spanId":"${execution}"`);
});

// In bash a command's output can be read like a file.
test.runIf(existsSync("/dev/fd"))(
  "bash completes commands, flags, their values, endpoints and files, and runs nothing of the command line",
  async () => {
    /** The completions of each line. All lines begin with the same command. */
    const ask = (lines: readonly string[], folder = tree.root) => {
      const [name = ""] = lines[0]?.split(" ") ?? [];
      const script = [
        `source <("$1" completion bash)`,
        `source <("$1" completion bash)`,
        `complete="$(complete -p "$1" | grep -o "_sv_[a-z]*")"`,
        `shift`,
        `for line in "$@"; do`,
        `  mapfile -d ' ' -t COMP_WORDS < <(printf '%s ' "$line"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))`,
        `  COMPREPLY=(); "$complete"; printf '%s\\n' "\${COMPREPLY[*]}"`,
        `done`,
      ].join("\n");
      const { stdout, stderr } = spawnSync("bash", ["-c", script, "bash", name, ...lines], {
        cwd: tree.root,
        encoding: "utf8",
        env: {
          ...process.env,
          PATH: `${folder}:/usr/bin:/bin`,
          SV_URL: emulator.url,
          SV_API_KEY: emulator.apiKey,
        },
      });
      expect(stderr).toBe("");
      const found = stdout.split("\n").slice(0, -1);
      return Object.fromEntries(lines.map((line, at) => [line, found[at]]));
    };
    const expected = {
      "sv-emulate wor": "workers",
      "sv-emulate da": "data",
      "sv-emulate jobs --sta": "--status",
      "sv-emulate jobs --status = FA": "FAILED",
      "sv-emulate purge na": ENDPOINT,
      "sv-emulate jobs $(touch\tran) ": "",
      "sv-emulate ran": "",
    };
    expect(ask(Object.keys(expected))).toEqual(expected);
    const alone = ["sv-runtime wor"];
    expect(ask(alone, tree.path("alone"))).toEqual({ "sv-runtime wor": "workers" });
  },
);
