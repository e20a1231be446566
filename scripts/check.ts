/** Runs every check of `npm test`: types, lint, format, unused code, the published package, and the tests. */
import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { slowestFiles } from "./slowest-files.ts";

const root = path.resolve(import.meta.dirname, "..");
const bins = path.join(root, "node_modules/.bin");
const reportFile = path.join(root, ".reports/vitest.json");

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

/** The checks are scripts of package.json, so that each can also be run alone. */
const scripts = ["types", "lint", "format:check", "knip", "package"];
/** One thread of the compiler takes two thirds of the time of several, which check the same files again. */
const options: Readonly<Record<string, readonly string[]>> = { types: ["--checkers", "1"] };
/**
 * The compiler and the linter are in Go. One thread takes less processor time than several threads with their garbage
 * collectors.
 */
const env = { GOMAXPROCS: "1" };
const steps = scripts.map((name): Step => ({
  name,
  env,
  command: ["npm", "run", "--silent", name, "--", ...(options[name] ?? [])],
}));

const tests: Step = {
  name: "tests",
  command: [
    "vitest",
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportFile}`,
    ...process.argv.slice(2),
  ],
};

interface StepResult {
  readonly name: string;
  readonly passed: boolean;
}

/** Without `show`, the output is held back and printed only when the step fails. */
async function run(step: Step, show: boolean): Promise<StepResult> {
  const [program, ...args] = step.command;
  const startedAt = performance.now();
  const child = spawn(program, args, {
    cwd: root,
    env: {
      ...process.env,
      ...step.env,
      PATH: `${bins}${path.delimiter}${process.env["PATH"] ?? ""}`,
    },
    stdio: ["ignore", show ? "inherit" : "pipe", show ? "inherit" : "pipe"],
  });
  let output = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output += text));
  const passed = await new Promise<boolean>((resolve) => {
    child.once("error", (error) => {
      output += `${program} could not be started: ${error.message}\n`;
      resolve(false);
    });
    child.once("close", (code) => resolve(code === 0));
  });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (!passed) process.stdout.write(output);
  console.log(`${passed ? "ok    " : "FAILED"} ${step.name} (${seconds} s)`);
  return { name: step.name, passed };
}

/** These checks run one after the other. */
async function runInTurn(queue: readonly Step[]): Promise<StepResult[]> {
  const results: StepResult[] = [];
  for (const step of queue) results.push(await run(step, false));
  return results;
}

fs.rmSync(reportFile, { force: true });
// These checks run beside the tests, which leave some processor time. They end long before the tests that measure times.
const [checked, tested] = await Promise.all([runInTurn(steps), run(tests, true)]);
if (fs.existsSync(reportFile)) {
  const slowest = slowestFiles(fs.readFileSync(reportFile, "utf8"), root);
  console.log(["\nslowest test files:", ...slowest].join("\n"));
}
const failed = [...checked, tested].filter((result) => !result.passed).map((result) => result.name);
if (failed.length > 0) {
  console.error(`\nfailed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
