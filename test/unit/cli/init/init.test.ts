/** `sv-emulate init`: its arguments, refusals and questions. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readCommandLine } from "../../../../emulator/cli/command.ts";
import { EXIT } from "../../../../emulator/cli/exit-code.ts";
import { ask, GivenUpError } from "../../../../emulator/cli/init/init-questions.ts";
import { runInitCommand } from "../../../../emulator/cli/init/init.ts";
import { countStopSignals } from "../../../../emulator/cli/signals.ts";
import { UsageError } from "../../../../emulator/cli/usage-error.ts";
import { temporaryTree, type TemporaryTree } from "../../../temporary-tree.ts";

const read = (...args: string[]) => readCommandLine(args, "1.2.3");

/** Runs init without a terminal. */
async function init(tree: TemporaryTree, ...args: readonly string[]) {
  const invocation = read("init", ...args);
  if (invocation.kind !== "init") throw new Error("that is not init");
  let out = "";
  let err = "";
  const code = await runInitCommand(invocation, tree.root, countStopSignals(new PassThrough()), {
    out: (text) => (out += text),
    err: (text) => (err += text),
    isInteractive: false,
  });
  return { code, out, err };
}

test("init takes a name and flags of its own", () => {
  expect(read("init")).toEqual({ kind: "init", name: undefined, flags: {} });
  expect(
    read("init", "g", "--template", "hello", "--dir=d", "--git", "--no-install", "--yes"),
  ).toEqual({
    kind: "init",
    name: "g",
    flags: { template: "hello", dir: "d", git: true, install: false, yes: true },
  });
  expect(() => read("init", "a", "b")).toThrow(UsageError);
  expect(read("./init")).toMatchObject({ kind: "serve", targets: ["./init"] });
});

test("a project is created in a directory of its name, and the next steps are shown", async () => {
  await using tree = await temporaryTree({});
  const { code, out, err } = await init(tree, "@me/greeter");
  expect({ code, err }).toEqual({ code: EXIT.stopped, err: "" });
  expect(out).toBe(
    "Created @me/greeter in greeter (starter: hello). Next:\n\n" +
      "  cd greeter\n  npm install\n  npm test\n  SV_API_KEY=local-key npm start\n\n" +
      "Its README.md says how to call it and how to build its image.\n",
  );
  expect(fs.existsSync(tree.path("greeter/handler.ts"))).toBe(true);
  expect(fs.existsSync(tree.path("greeter/.git"))).toBe(false);
});

test("the next steps are valid shell commands for any directory name", async () => {
  await using tree = await temporaryTree({});
  const { out } = await init(tree, "greeter", "--dir", "Ada's $HOME");
  const [, steps = ""] = /Next:\n\n(.*)\n {2}npm install\n/u.exec(out) ?? [];
  const shell = execFileSync("sh", ["-c", `${steps.trim()} && pwd`], { cwd: tree.root });
  expect(String(shell).trim()).toBe(fs.realpathSync(tree.path("Ada's $HOME")));
  await expect(init(tree, "./Ada's")).rejects.toThrow(String.raw`init --dir './Ada'\''s'`);
});

test("a project in an existing directory has the directory's name", async () => {
  await using tree = await temporaryTree({ "My Model/weights.bin": "" });
  const { out } = await init(tree, "--dir", "My Model", "--template", "load-balanced");
  expect(out).toContain("Created my-model in My Model (starter: load-balanced).");
  expect(fs.existsSync(tree.path("My Model/server.ts"))).toBe(true);
  expect(fs.existsSync(tree.path("My Model/weights.bin"))).toBe(true);
});

describe("init writes nothing and gives the reason when", () => {
  test.each([
    ["the name is missing", [], "the project needs a name: sv-emulate init my-endpoint"],
    ["the name is invalid", ["My App"], "my-app would do"],
    ["a package has the name", ["zod"], "my-zod would do"],
    ["a module of Node has the name", ["stream"], "my-stream would do"],
    ["the name is a directory", ["."], "sv-emulate init --dir ."],
    ["the name is a path", ["/x/y"], "sv-emulate init --dir /x/y"],
    [
      "the starter is unknown",
      ["x", "--template", "helo"],
      "did you mean hello? there are hello, ",
    ],
  ])("%s", async (_, args, sentence) => {
    await using tree = await temporaryTree({});
    const made = init(tree, ...args);
    await expect(made).rejects.toThrow(UsageError);
    await expect(made).rejects.toThrow(sentence);
    expect(fs.readdirSync(tree.root)).toEqual([]);
  });
});

test("--git creates a repository, but not inside another one", async () => {
  await using tree = await temporaryTree({});
  await init(tree, "outer", "--git");
  expect(fs.existsSync(tree.path("outer/.git"))).toBe(true);
  await init(tree, "inner", "--git", "--dir", "outer/inner");
  expect(fs.existsSync(tree.path("outer/inner/handler.ts"))).toBe(true);
  expect(fs.existsSync(tree.path("outer/inner/.git"))).toBe(false);
});

describe("--install", () => {
  /** A stand-in for npm that the test scripts. */
  function stubNpm(tree: TemporaryTree, script: string): void {
    fs.mkdirSync(tree.path("bin"));
    fs.writeFileSync(tree.path("bin/npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    vi.stubEnv("PATH", `${tree.path("bin")}:${process.env["PATH"]}`);
    onTestFinished(() => void vi.unstubAllEnvs());
  }

  test("runs npm in the project, and omits it from the next steps", async () => {
    await using tree = await temporaryTree({});
    stubNpm(tree, 'echo "$@" > ran-here');
    const { code, out } = await init(tree, "greeter", "--install");
    expect(code).toBe(EXIT.stopped);
    expect(fs.readFileSync(tree.path("greeter/ran-here"), "utf8")).toMatch(/^install /u);
    expect(out).toContain("  cd greeter\n  npm test\n");
  });

  test("that fails is reported, and the project stays", async () => {
    await using tree = await temporaryTree({});
    stubNpm(tree, "exit 7");
    const { code, out, err } = await init(tree, "greeter", "--install");
    expect(code).toBe(EXIT.unexpected);
    expect(err).toMatch(/^npm install .*: it ended with code 7\n$/u);
    expect(out).toContain("  npm install\n");
    expect(fs.existsSync(tree.path("greeter/handler.ts"))).toBe(true);
  });
});

describe("questions", () => {
  /** A terminal that presses the next keys when the last words of a question appear. */
  function terminal(...dialogue: readonly (readonly [string, string])[]) {
    const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
    const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
    const [...left] = dialogue;
    let shown = "";
    output.setEncoding("utf8").on("data", (piece: string) => {
      shown += piece;
      const [next] = left;
      if (next === undefined || !shown.includes(next[0])) return;
      left.shift();
      shown = "";
      // Keys pressed while the question is drawn would not belong to the answer.
      setImmediate(() => next[1].split("").forEach((key) => input.write(key)));
    });
    return { input, output };
  }
  const nothing = { name: undefined, starter: undefined, git: undefined, install: undefined };
  const problemOf = (name: string) => (name === "zod" ? "zod is taken" : undefined);

  test("cover all that is unknown, and are repeated for a bad name", async () => {
    const person = terminal(
      ["Which starter?", "j\r"],
      ["What is it called?", "zod\r"],
      ["zod is taken", "2\r"],
      ["Git repository?", "n"],
      ["packages now?", "\r"],
    );
    expect(await ask(nothing, problemOf, person)).toEqual({
      name: "zod2",
      starter: "stream-tokens",
      git: false,
      install: true,
    });
  });

  test("are skipped when the answer is known", async () => {
    const person = terminal(["What is it called?", "\r"]);
    const known = { ...nothing, starter: "hello", git: true, install: false } as const;
    expect(await ask(known, problemOf, person)).toEqual({ ...known, name: "my-endpoint" });
  });

  test("end with Ctrl-C, and when the program must stop", async () => {
    const gone = ask(nothing, problemOf, terminal(["Which starter?", "\u0003"]));
    await expect(gone).rejects.toThrow(GivenUpError);
    const told = ask(nothing, problemOf, { ...terminal(), signal: AbortSignal.abort() });
    await expect(told).rejects.toThrow(GivenUpError);
  });
});
