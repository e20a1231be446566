/** Arguments and environment of `sv-worker`, and the reference that must agree with its help. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readCommand } from "../../../../runtime/bin/command.ts";
import { readSettings } from "../../../../runtime/bin/settings.ts";
import { EXIT_MEANINGS, HELP, UsageError } from "../../../../runtime/bin/usage.ts";
import { WORKER_ENV } from "../../../../runtime/protocol/environment/worker-env.ts";

describe("sv-worker parses the arguments", () => {
  test.each([
    [[], { kind: "serve" }],
    [["a.ts"], { kind: "serve", handler: "a.ts" }],
    [["./run"], { kind: "serve", handler: "./run" }],
    [["--help"], { kind: "help" }],
    [["run", "-h"], { kind: "help" }],
    [["-v"], { kind: "version" }],
    [["run"], { kind: "run" }],
    [["server"], { kind: "server" }],
    [["server", "chat/server.ts"], { kind: "server", handler: "chat/server.ts" }],
    [["server", "-h"], { kind: "help" }],
    [["--inspect", "a.ts"], { kind: "serve", handler: "a.ts", inspect: "127.0.0.1:9229" }],
    [["--inspect=9230", "a.ts"], { kind: "serve", handler: "a.ts", inspect: "127.0.0.1:9230" }],
    [["run", "--inspect=[::1]:80"], { kind: "run", inspect: "[::1]:80" }],
    [["--", "--inspect"], { kind: "serve", handler: "--inspect" }],
    [["run", "a.ts", "--input", "{}"], { kind: "run", handler: "a.ts", input: "{}" }],
    [
      ["run", "--timeout-ms=50", "--input-file", "f", "a.ts"],
      { kind: "run", handler: "a.ts", inputFile: "f", timeoutMs: "50" },
    ],
  ])("%j", (args, command) => {
    expect(readCommand(args)).toEqual(command);
  });

  test.each([
    [["--inputt", "{}"], "Unknown option '--inputt'."],
    [["--inspect=0"], '--inspect must be host:port or a port from 1 to 65535, not "0"'],
    [["--input", "{}"], "Unknown option '--input'."],
    [["server", "--inspect"], "Unknown option '--inspect'."],
    [
      ["start", "a.ts"],
      'A worker has one handler, and 2 words were given: "start" and "a.ts". The commands are run and server',
    ],
    [["run", "a.ts", "--test_input", "{}"], "Python SDK: use run with --input and the value of"],
    [["a.ts", "--test-input={}"], "Python SDK: use run with --input and the value of"],
    [["a.ts", "--rp_serve_api"], "Python SDK: use sv-emulate with the handler"],
    [["run", "a.ts", "--rp_log_level", "DEBUG"], "set SV_LOG_LEVEL"],
    [["a.ts", "--input", "{}"], "It belongs to run: sv-worker run <handler> --input"],
    [["run", "--timeout", "5"], "The options are --inspect, --input, --input-file, --timeout-ms"],
    [["server", "-x"], "The options are --help, --version."],
    [["run", "a.ts", "--input"], "Option '--input <value>' argument missing"],
    [
      ["run", "a.ts", "--input", "{}", "--input-file", "f"],
      "--input and --input-file cannot be given together.",
    ],
  ])("sv-worker refuses the arguments %j", (args, sentence) => {
    expect(() => readCommand(args)).toThrow(UsageError);
    expect(() => readCommand(args)).toThrow(sentence);
  });
});

describe("the environment", () => {
  test("gives no setting when its variables are missing or empty", () => {
    expect(readSettings({})).toEqual({});
    expect(readSettings({ SV_GRACE_MS: "", SV_STANDBY: "" })).toEqual({});
  });

  test("gives each setting that it names", () => {
    const env = {
      SV_GRACE_MS: "0",
      SV_INIT_LIMIT_MS: "1000",
      SV_DRAIN_LIMIT_MS: "604800000",
      SV_STANDBY: "0",
      SV_INSPECT: "0.0.0.0:9229",
      SV_LOG_LEVEL: "warn",
      SV_LOG_FORMAT: "pretty",
    };
    expect(readSettings(env)).toEqual({
      graceMs: 0,
      initLimitMs: 1_000,
      drainLimitMs: 604_800_000,
      standby: "none",
      inspect: "0.0.0.0:9229",
      logLevel: "warn",
      logFormat: "pretty",
    });
  });

  test.each([
    ["SV_GRACE_MS", "5s", 'milliseconds from 0 to 604800000, not "5s"'],
    ["SV_GRACE_MS", "-1", 'milliseconds from 0 to 604800000, not "-1"'],
    ["SV_DRAIN_LIMIT_MS", "604800001", "milliseconds from 0 to 604800000"],
    ["SV_INIT_LIMIT_MS", "0", 'milliseconds from 1 to 604800000, not "0"'],
    ["SV_INIT_LIMIT_MS", "1.5", 'not "1.5"'],
    ["SV_STANDBY", "1", 'one of 0, idle, loaded, not "1"'],
    ["SV_INSPECT", "localhost", 'host:port or a port from 1 to 65535, not "localhost"'],
    ["SV_LOG_LEVEL", "verbose", 'one of debug, info, warn, error, not "verbose"'],
    ["SV_LOG_FORMAT", "xml", 'one of json, pretty, not "xml"'],
  ])("%s=%s is refused with the allowed values", (name, value, sentence) => {
    expect(() => readSettings({ [name]: value })).toThrow(UsageError);
    expect(() => readSettings({ [name]: value })).toThrow(sentence);
    expect(() => readSettings({ [name]: value })).toThrow(name);
  });

  test("all problems are reported at once", () => {
    const env = { SV_GRACE_MS: "soon", SV_STANDBY: "yes" };
    expect(() => readSettings(env)).toThrow(/SV_GRACE_MS.*\n.*SV_STANDBY/su);
  });
});

describe("the reference docs/worker.md", async () => {
  const reference = await readFile(new URL("../../../../docs/worker.md", import.meta.url), "utf8");

  test("shows the help unchanged", () => {
    expect(/```text\n(Usage:.*?)```/su.exec(reference)?.[1]).toBe(HELP);
  });

  test("has a row for every variable, and no other row", () => {
    const rows = Array.from(reference.matchAll(/^\| `(SV_\w+)`/gmu), ([, name]) => name);
    expect(new Set(rows)).toEqual(new Set<string>(Object.values(WORKER_ENV)));
    expect(rows).toHaveLength(Object.keys(WORKER_ENV).length);
  });

  test("has a row for every exit code of a worker", () => {
    const rows = Array.from(reference.matchAll(/^\| (\d+) +\|/gmu), ([, code]) => code);
    expect(rows).toEqual(Object.keys(EXIT_MEANINGS));
  });
});
