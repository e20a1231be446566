/** States how the arguments of `sv-emulate` are read, and that its reference says what its help says. */
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { readCommandLine } from "../../../emulator/cli/command.ts";
import { configSchema, knownKeysAt } from "../../../emulator/cli/config-schema.ts";
import { EXIT } from "../../../emulator/cli/exit-code.ts";
import { UsageError } from "../../../emulator/cli/usage-error.ts";
import { LOCAL_ENDPOINT_DEFAULTS } from "../../../emulator/local-endpoint.ts";

const read = (...args: string[]) => readCommandLine(args, "1.2.3");

test("targets and flags are read in any order", () => {
  expect(
    read("a.ts", "--port", "0", "b", "--host=::1", "--data-dir", "d", "--log", "json"),
  ).toEqual({
    kind: "serve",
    targets: ["a.ts", "b"],
    flags: { port: "0", host: "::1", dataDir: "d", log: "json" },
  });
});

test("nothing given is nothing said", () => {
  expect(read()).toEqual({ kind: "serve", targets: [], flags: {} });
});

test("behind -- stand targets only", () => {
  expect(read("--ephemeral", "--", "--odd.ts")).toEqual({
    kind: "serve",
    targets: ["--odd.ts"],
    flags: { ephemeral: true },
  });
});

test("the version is answered", () => {
  expect(read("--version")).toEqual({ kind: "answer", text: "1.2.3\n" });
});

describe("arguments that cannot be understood", () => {
  test.each([
    [["--prot", "1"], "unknown option '--prot'\n(Did you mean --port?)"],
    [["--port"], "option '--port <number>' argument missing"],
    [["--log", "xml"], "argument 'xml' is invalid. Allowed choices are pretty, json."],
    [["--ephemeral", "--data-dir", "d"], "'--ephemeral' cannot be used with option '--data-dir"],
  ])("%j", (args, sentence) => {
    expect(() => read(...args)).toThrow(UsageError);
    expect(() => read(...args)).toThrow(sentence);
  });
});

describe("the reference docs/cli.md", async () => {
  const reference = await readFile(new URL("../../../docs/cli.md", import.meta.url), "utf8");

  test("shows the help as it is", () => {
    const answer = readCommandLine(["--help"], "1.2.3");
    const help = answer.kind === "answer" ? answer.text : "";
    expect(help).toContain("Exit codes:");
    expect(/```text\n(Usage:.*?)```/s.exec(reference)?.[1]).toBe(help);
  });

  test("has a row for every key of a config", () => {
    const keys = [
      ...knownKeysAt([]),
      ...knownKeysAt(["endpoints", "a"]),
      ...knownKeysAt(["endpoints", "a", "retries"]).map((key) => `retries.${key}`),
    ];
    const rows = [...reference.matchAll(/^\| `([\w.]+)` /gm)].map(([, key]) => key);
    expect(rows).toEqual(expect.arrayContaining(keys));
  });

  test("names the defaults of an endpoint as they are", () => {
    const { retries, ...defaults } = LOCAL_ENDPOINT_DEFAULTS;
    const named = Object.entries({
      ...defaults,
      "retries.workerLost": retries.workerLost,
      "retries.handlerError": retries.handlerError,
    });
    for (const [key, value] of named) {
      const shown = Array.isArray(value) ? "\\[\\]" : String(value);
      expect(reference).toMatch(new RegExp(`^\\| \`${key}\` .*\\| \`${shown}\` +\\|$`, "m"));
    }
  });

  test("has a row for every exit code", () => {
    const rows = [...reference.matchAll(/^\| (\d+) /gm)].map(([, code]) => Number(code));
    expect(rows).toEqual(Object.values(EXIT));
  });

  test("shows a config that is valid", () => {
    const example = /```json\n(.*?)```/s.exec(reference)?.[1] ?? "";
    expect(configSchema.safeParse(JSON.parse(example)).error).toBeUndefined();
  });
});
