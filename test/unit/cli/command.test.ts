/** Arguments of `sv-emulate`, and the reference that must agree with its help. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readCommandLine } from "../../../emulator/cli/command.ts";
import { EXIT } from "../../../emulator/cli/exit-code.ts";
import { UsageError } from "../../../emulator/cli/usage-error.ts";

const read = (...args: string[]) => readCommandLine(args, "1.2.3");

test("targets and flags are read in any order", () => {
  expect(
    read(
      "a.ts",
      "--port",
      "0",
      "b",
      "--host=::1",
      "--allowed-host",
      "a",
      "--allowed-host",
      "b",
      "--data-dir",
      "d",
      "--log",
      "json",
    ),
  ).toEqual({
    kind: "serve",
    targets: ["a.ts", "b"],
    flags: { port: "0", host: "::1", allowedHost: ["a", "b"], dataDir: "d", log: "json" },
  });
});

test("an empty command line sets nothing", () => {
  expect(read()).toEqual({ kind: "serve", targets: [], flags: {} });
});

test("all arguments after -- are targets", () => {
  expect(read("--ephemeral", "--", "--odd.ts")).toEqual({
    kind: "serve",
    targets: ["--odd.ts"],
    flags: { ephemeral: true },
  });
});

test("--version is recognized", () => {
  expect(read("--version")).toEqual({ kind: "answer", text: "1.2.3\n" });
});

describe("sv-emulate refuses the arguments", () => {
  test.each([
    [["--prot", "1"], "unknown option '--prot'\n(Did you mean --port?)"],
    [["--port"], "option '--port <number>' argument missing"],
    [["--log", "xml"], "argument 'xml' is invalid. Allowed choices are pretty, json."],
    [["--ephemeral", "--data-dir", "d"], "'--ephemeral' cannot be used with option '--data-dir"],
    [["--ephemeral", "--store", "x"], "'--ephemeral' cannot be used with option '--store"],
  ])("%j", (args, sentence) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(sentence);
  });
});

test("config takes the targets and flags of a start, and export its own flags", () => {
  expect(
    read("config", "a.ts", "--port", "1", "--env-file", "a", "--env-file", "b", "--json"),
  ).toEqual({
    kind: "config",
    targets: ["a.ts"],
    flags: { port: "1", envFile: ["a", "b"], json: true },
  });
  expect(read("export", "--ts", "--out", "sv.config.ts")).toEqual({
    kind: "export",
    flags: { ts: true, out: "sv.config.ts" },
  });
  expect(() => read("export", "--jsn")).toThrow("unknown option '--jsn'");
});

describe("the reference docs/cli.md", async () => {
  const reference = await readFile(new URL("../../../docs/cli.md", import.meta.url), "utf8");

  test("has a row for every exit code of the command line", () => {
    const rows = [...reference.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
    expect(rows).toEqual(Object.values(EXIT));
  });
});
