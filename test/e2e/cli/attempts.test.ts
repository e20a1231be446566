/** What the built `sv-emulate` shows of jobs that end, in a terminal and in a pipe. */
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { program, startEmulatorProcess } from "../emulator-process.ts";
import { call } from "./call.ts";
import { spawnInTerminal } from "./terminal.ts";

const HANDLER = `interface Job { readonly input: { readonly plan?: string; readonly exit?: number } }

function planOf({ plan }: Job["input"]): string {
  if (plan === "bad") throw new TypeError("no such plan: bad");
  return plan ?? "none";
}

export default async function greet({ input }: Job): Promise<string> {
  if (input.exit !== undefined) process.exit(input.exit);
  await Promise.resolve();
  return planOf(input);
}

export const concurrency = 100;
`;
const KEY = "typed-key";
/** Timeout: far longer than any step takes. */
const SHOWN_LIMIT_MS = 60_000;

/** `sv-emulate` in a terminal of its own, with all its output; ended by Ctrl-C. */
async function inTerminal(cwd: string, env: Readonly<Record<string, string>> = {}) {
  const command = [process.execPath, program, "greeter/handler.ts", "--port", "0"];
  const terminal = spawnInTerminal(command, {
    cwd,
    env: { PATH: process.env["PATH"], SV_API_KEY: KEY, ...env },
  });
  let text = "";
  const looks = new Set<() => void>();
  terminal.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    for (const look of looks) look();
  });
  const closed = new Promise<void>((resolve) => terminal.once("close", () => resolve()));
  const shown = async (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(stripVTControlCharacters(text).replaceAll(/\r+\n/g, "\n"));
        if (found !== null) resolve(found);
      };
      looks.add(look);
      const miss = () => reject(new Error(`${String(pattern)} was not shown:\n${text}`));
      void closed.then(miss);
      AbortSignal.timeout(SHOWN_LIMIT_MS).addEventListener("abort", miss);
      look();
    });
  const [, url = ""] = await shown(/^ready (http:\S+)$/m);
  return {
    shown,
    text: () => text,
    run: (input: object) => call({ url, apiKey: KEY }, "greeter/runsync", { input }),
    async stop() {
      terminal.stdin.write("\u0003");
      await closed;
    },
    [Symbol.asyncDispose]: async () => void terminal.kill(),
  };
}

test("in a terminal each job that ends prints a line, and a failure adds its error and its place in the source", async () => {
  await using tree = await temporaryTree({ "greeter/handler.ts": HANDLER });
  await using terminal = await inTerminal(tree.root);
  await terminal.run({});
  await terminal.shown(/✓ greeter …[\w-]{14} completed after [\d.]+ m?s\n/);
  expect(terminal.text()).toContain("\u001b[2m✓ greeter");
  await terminal.run({ plan: "bad" });
  await terminal.shown(
    /✗ greeter …[\w-]{14} failed after [\d.]+ m?s: TypeError: no such plan: bad\n {4}at planOf \(greeter\/handler\.ts:4:\d+\)\n {4}at \S*greet \(greeter\/handler\.ts:11:\d+\)\n/,
  );
  expect(terminal.text()).toContain("\u001b[31m✗ greeter");
  await terminal.run({ exit: 7 });
  await terminal.shown(
    /↻ greeter …[\w-]{14} attempt 1 crashed after [\d.]+ m?s, is tried again: process_exited: [\s\S]*code 7/,
  );
  await terminal.shown(/✗ greeter …[\w-]{14} attempt 2 crashed after .*: process_exited: /);
  await terminal.stop();
});

test("in continuous integration a terminal shows failures only", async () => {
  await using tree = await temporaryTree({ "greeter/handler.ts": HANDLER });
  await using terminal = await inTerminal(tree.root, { CI: "true" });
  await terminal.run({});
  await terminal.run({ plan: "bad" });
  await terminal.shown(/✗ greeter …[\w-]{14} failed/);
  await terminal.stop();
  expect(terminal.text()).not.toContain("✓");
});

test("in a pipe every failure is an object with its job and its error, and completed jobs are not shown", async () => {
  await using tree = await temporaryTree({ "greeter/handler.ts": HANDLER });
  const args = ["greeter/handler.ts"];
  await using emulator = await startEmulatorProcess({ args, cwd: tree.root });
  await call(emulator, "greeter/runsync", { input: {} });
  const failed = await call(emulator, "greeter/runsync", { input: { plan: "bad" } });
  const again = await call(emulator, "greeter/runsync", { input: { plan: "bad" } });
  await emulator.stop();
  const entries = emulator.stderrLines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const ends = entries.filter(({ outcome }) => outcome !== undefined);
  expect(ends.map(({ jobId }) => jobId)).toEqual([failed["id"], again["id"]]);
  for (const end of ends) {
    expect(end).toMatchObject({
      time: expect.any(String),
      level: "error",
      msg: "the job failed: no such plan: bad",
      endpointId: "greeter",
      outcome: "failed",
      attempt: 1,
      durationMs: expect.any(Number),
      error: {
        type: "handler_error",
        message: "no such plan: bad",
        stack: expect.stringContaining("greeter/handler.ts:4:"),
      },
    });
  }
});
