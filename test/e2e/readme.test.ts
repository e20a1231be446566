/** Commands of the README and other documents work when they are typed as written. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { curlIsMissing } from "../setup/curl.ts";
import { testInFull } from "../setup/size.ts";
import { temporaryDirectory } from "../setup/temporary-directory.ts";
import { temporaryTree } from "../temporary-tree.ts";
import { documents, fencesIn, readDocument, root } from "../unit/docs/documents.ts";
import { type Snippet, writeSnippets } from "../unit/docs/snippets.ts";
import { call } from "./cli/call.ts";
import { type EmulatorProcess, startEmulatorProcess } from "./emulator-process.ts";
import { eventually } from "./jobs/observe.ts";
import { commandsBelow, pasteAll, pointed } from "./readme/pasted.ts";
import { commandsIn, openShell, type Ran, type Shell } from "./readme/shell.ts";

const KEY = "local-key";
const temporary = temporaryDirectory();
const directory = temporary.path;
let emulator: EmulatorProcess;

/** The program that `npm start` starts, with a port and a directory of its own. */
beforeAll(async () => {
  const args = ["examples", "--data-dir", path.join(directory, "data")];
  emulator = await startEmulatorProcess({ args, env: { SV_API_KEY: KEY }, cwd: root });
});
afterAll(async () => {
  await emulator[Symbol.asyncDispose]();
  temporary[Symbol.dispose]();
});

test("npm start serves the examples under the key that their page names", () => {
  const { scripts } = JSON.parse(readDocument("package.json").text) as {
    scripts: Record<string, string>;
  };
  expect(scripts["start"]).toMatch(
    /SV_API_KEY:-local-key\}" && exec node_modules\/.bin\/node dist\/emulator\/cli\/sv-emulate\.js examples$/,
  );
});

describe.skipIf(curlIsMissing !== undefined)("docs/examples.md", () => {
  const commands = commandsBelow("docs/examples.md", "## Calling them");
  let shell: Shell;
  beforeAll(() => {
    shell = openShell({ cwd: root });
  });
  afterAll(async () => shell[Symbol.asyncDispose]());

  const paste = async (...wanted: readonly string[]): Promise<Ran> => {
    const results = await pasteAll(shell, wanted, { url: emulator.url, directory });
    const [result] = results.slice(-1);
    if (result === undefined) throw new Error("nothing was pasted");
    for (const { exitCode } of results) expect(exitCode).toBe(0);
    return result;
  };
  const [submit = "", status = "", runsync = "", submitTokens = "", follow = ""] = commands;
  const [submitLong = "", cancel = "", health = ""] = commands.slice(5);

  test("contains these eight commands", () => {
    expect(commands.map((command) => /\/v2\/(\w+\/[\w-]+)/.exec(command)?.[1])).toEqual([
      "hello/run",
      "hello/status",
      "hello/runsync",
      "tokens/run",
      "tokens/stream",
      "tokens/run",
      "tokens/cancel",
      "hello/health",
    ]);
  });

  test("a submitted job is COMPLETED when its status is polled until its end", async () => {
    const submitted = await paste(submit);
    expect(submitted.output.trim()).toMatch(/^[0-9a-f-]{36}-e1$/);
    let job: unknown;
    do job = JSON.parse((await paste(status)).output);
    while (/IN_QUEUE|IN_PROGRESS/.test(JSON.stringify(job)));
    expect(job).toMatchObject({
      id: submitted.output.trim(),
      status: "COMPLETED",
      output: { greeting: "Hello, Ada!" },
    });
  });

  test("/runsync answers the greeting", async () => {
    expect(JSON.parse((await paste(runsync)).output)).toMatchObject({
      status: "COMPLETED",
      output: { greeting: "Hello, Ada!" },
    });
  });

  test("chunks of the stream arrive while the job runs", async () => {
    const { output, pieces } = await paste(submitTokens, follow);
    expect(output.match(/^event: chunk$/gm)).toHaveLength(40);
    expect(output).toMatch(/^event: end\ndata: .*"status":"COMPLETED"/m);
    const executionMs = Number(/"executionTime":(\d+)/.exec(output)?.[1]);
    const arrivals = pieces.filter(({ text }) => text.includes("event: chunk"));
    const times = arrivals.map(({ afterMs }) => afterMs);
    const firstMs = times[0] ?? Number.NaN;
    const spreadMs = (times.at(-1) ?? Number.NaN) - firstMs;
    const gaps = times.slice(1).map((at, before) => at - (times[before] ?? 0));
    const median = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? Number.NaN;
    console.log(
      `figure: README stream: 40 chunks of a job of ${executionMs} ms arrived in ${arrivals.length} pieces over ` +
        `${spreadMs.toFixed(0)} ms, the first after ${firstMs.toFixed(0)} ms, ` +
        `the median ${median.toFixed(0)} ms and at most ${Math.max(...gaps).toFixed(0)} ms apart`,
    );
    console.log(`figure: README stream arrivals (ms): ${times.map(Math.round).join(" ")}`);
    // The handler pauses 40 times for 50 ms; a slow machine may deliver some chunks together.
    expect(executionMs).toBeGreaterThanOrEqual(39 * 50);
    expect(arrivals.length).toBeGreaterThan(10);
    expect(spreadMs).toBeGreaterThan(executionMs / 2);
  });

  test("a cancelled running job is CANCELLED", async () => {
    const cancelled: unknown = JSON.parse((await paste(submitLong, cancel)).output);
    expect(cancelled).toEqual({ id: expect.stringMatching(/-e1$/), status: "CANCELLED" });
    const { id } = cancelled as { id: string };
    expect(await call(emulator, `tokens/status/${id}`)).toMatchObject({ id, status: "CANCELLED" });
  });

  test("/health counts the two jobs of hello", async () => {
    expect(JSON.parse((await paste(health)).output)).toMatchObject({
      jobs: { completed: 2, failed: 0, inProgress: 0, inQueue: 0, retried: 0 },
      workers: { idle: 1, running: 0 },
    });
  });
});

describe.skipIf(curlIsMissing !== undefined)("README.md", () => {
  const { text } = readDocument("README.md");
  const fences = (info: string) => fencesIn(text).filter((fence) => fence.info[0] === info);

  test("its handler, served by the command below it, answers and fails as written", async () => {
    const [handler] = fences("ts");
    const [dev, curl] = fences("sh");
    const [answer, lines] = fences("text");
    if (!handler || !dev || !curl || !answer || !lines) throw new Error("the README lacks a part");
    const [, key = "", ...args] =
      /^SV_API_KEY=(\S+) npx sv-runtime (dev) (greet) /u.exec(dev.code) ?? [];
    await using tree = await temporaryTree({ "greet/handler.ts": handler.code });
    await using greeting = await startEmulatorProcess({
      args: [...args, "--ephemeral", "--log", "pretty"],
      cwd: tree.root,
      env: { SV_API_KEY: key },
    });
    await using shell = openShell({ cwd: tree.root });
    const { url } = greeting;
    const [called] = await pasteAll(shell, [curl.code.trim()], { url, directory });
    const job = JSON.parse(called?.output ?? "") as object;
    const written = JSON.parse(answer.code) as object;
    expect(Object.keys(job)).toEqual(Object.keys(written));
    expect(job).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, Ada!" } });
    expect(written).toMatchObject({ status: "COMPLETED", output: { greeting: "Hello, Ada!" } });
    await call(greeting, "greet/runsync", { input: {} });
    const plain = (line: string) =>
      line
        .replace(/…\w+-e1/u, "ID")
        .replace(/\d+ ms/u, "N ms")
        .replace(/^\d\d:\S+ /u, "");
    // The log shows success only in a terminal.
    const [well = "", ...badly] = lines.code.trimEnd().split("\n");
    expect(plain(well)).toBe("✓ greet ID completed after N ms");
    for (const line of badly) {
      await eventually(line, () =>
        greeting.stderrLines.map(plain).includes(plain(line)) ? true : undefined,
      );
    }
  });

  test("its two set-up commands exist", () => {
    const [, , clone] = fences("sh");
    expect(commandsIn(clone?.code ?? "")).toEqual([
      expect.stringMatching(/^npm start +#/u),
      expect.stringMatching(/^npm test +#/u),
    ]);
  });
});

describe.skipIf(curlIsMissing !== undefined)("the examples' own pages", () => {
  const pasteBelow = async (example: string): Promise<readonly Ran[]> => {
    await using shell = openShell({ cwd: path.join(root, "examples", example) });
    const commands = commandsBelow(`examples/${example}/README.md`, "## Try it");
    const results = await pasteAll(shell, commands, { url: emulator.url, directory });
    for (const { exitCode } of results) expect(exitCode).toBe(0);
    return results;
  };

  test("hello greets", async () => {
    const [runsync] = await pasteBelow("hello");
    expect(JSON.parse(runsync?.output ?? "")).toMatchObject({
      status: "COMPLETED",
      output: { greeting: "Hello, Ada!" },
    });
  });

  test("thumbnails makes a file that is WebP", async () => {
    expect(await pasteBelow("thumbnails")).toHaveLength(4);
    const file = fs.readFileSync(path.join(directory, "thumbnail.webp"));
    expect([file.toString("latin1", 0, 4), file.toString("latin1", 8, 12)]).toEqual([
      "RIFF",
      "WEBP",
    ]);
  });

  test("openai-chat repeats the message", async () => {
    const [chat] = await pasteBelow("openai-chat");
    expect(chat?.output).toContain("You said: Hello there");
  });

  test("http-server returns its id, counts its requests, and streams", async () => {
    const [who, size, count] = await pasteBelow("http-server");
    expect(JSON.parse(who?.output ?? "")).toHaveProperty("worker");
    const { length } = fs.readFileSync(path.join(root, "examples/http-server/server.ts"));
    expect(JSON.parse(size?.output ?? "")).toEqual({ bytes: length });
    expect(count?.output.match(/^data: \d+$/gm)).toHaveLength(20);
    expect(count?.pieces.length).toBeGreaterThan(5);
  });

  testInFull("tokens streams 200 tokens", async () => {
    const [, follow] = await pasteBelow("tokens");
    expect(follow?.output.match(/^event: chunk$/gm)).toHaveLength(200);
    expect(follow?.output).toMatch(/^event: end\ndata: .*"status":"COMPLETED"/m);
  });
});

describe("TypeScript that is marked as runnable", () => {
  let written: ReturnType<typeof writeSnippets>;
  beforeAll(() => {
    written = writeSnippets((code) => pointed(code, { url: emulator.url, directory }));
  });
  afterAll(() => written[Symbol.dispose]());

  /** The lines that each snippet prints; the snippets run in turn in one process. */
  const run = async (snippets: readonly Snippet[]): Promise<readonly (readonly string[])[]> => {
    const end = "-- the end of a snippet --";
    const program = `for (const file of process.argv.slice(1)) { await import(file); console.log("${end}"); }`;
    const files = snippets.map(({ file }) => pathToFileURL(file).href);
    const args = ["--input-type=module", "--eval", program, ...files];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
    const [code] = await once(child, "close");
    expect(code, text).toBe(0);
    const printed = text.split(`${end}\n`).slice(0, -1);
    return printed.map((each) => each.split("\n").slice(0, -1));
  };

  test("docs/handlers.md: the command below its first handler serves it", async () => {
    const fences = fencesIn(readDocument("docs/handlers.md").text);
    const command = fences.find(({ info }) => info[0] === "sh")?.code ?? "";
    const [npx, name, ...args] = command.replace(/ *#.*\n/, "").split(" ");
    expect([npx, name]).toEqual(["npx", "sv-runtime"]);
    const cwd = path.join(written.directory, "docs-handlers.md");
    await using serving = await startEmulatorProcess({ args: [...args, "--ephemeral"], cwd });
    expect(await call(serving, "greet/runsync", { input: { name: "Ada" } })).toMatchObject({
      output: { greeting: "Hello, Ada!" },
    });
  });

  test("docs/testing.md: the command runs one job, and prints the output below it", async () => {
    const heading = "## One job in a process of its own";
    const [command = ""] = commandsBelow("docs/testing.md", heading);
    const cwd = path.join(written.directory, "docs-testing.md");
    await using shell = openShell({ cwd });
    const worker = path.join(root, "dist/runtime/sv-worker.cjs");
    await shell.run(`npx() { shift; '${process.execPath}' '${worker}' "$@" 2>/dev/null; }`);
    const { output, exitCode } = await shell.run(command);
    expect([exitCode, output]).toEqual([0, '{"greeting":"Hello, Ada!"}\n']);
    expect(readDocument("docs/testing.md").text).toContain(`${command}\n# ${output}`);
  });

  const withSnippets = documents().filter(({ text }) =>
    fencesIn(text).some(({ info }) => info.includes("runnable")),
  );
  test.each(withSnippets.map(({ path: document }) => document))(
    "%s: its snippets run and print the output they show",
    async (document) => {
      const snippets = written.snippets.filter(
        (snippet) => snippet.isRunnable && snippet.document === document,
      );
      expect(snippets.length).toBeGreaterThan(0);
      const printed = await run(snippets);
      expect(printed).toHaveLength(snippets.length);
      for (const [at, { line, prints }] of snippets.entries())
        if (prints.length > 0) expect(printed[at], `line ${line}`).toEqual(prints);
    },
  );
});

describe("a block of shell code", () => {
  test("is split into whole commands without comments", () => {
    const code = "# first\na \\\n  | b\n\n{ c\n  d; } > e\n# last\nf 'g\nh'\n";
    expect(commandsIn(code)).toEqual(["a \\\n  | b", "{ c\n  d; } > e", "f 'g\nh'"]);
    expect(() => commandsIn("a 'b\n")).toThrow("no shell can make anything of");
  });
});
