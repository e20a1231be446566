/** The launcher of commands keeps the contract of all launchers, and says what cannot be run. */
import fs from "node:fs";
import { expect, it } from "vitest";
import { type Command, createCommandLauncher } from "../../emulator/launch/command-launcher.ts";
import { processesMarked } from "../e2e/jobs/observe.ts";
import { temporaryTree } from "../temporary-tree.ts";
import { launcherContract } from "./launcher.contract.ts";
import { type LauncherSubject, orderOf, templateNamed } from "./launcher/subject.ts";

interface CommandSubject extends LauncherSubject {
  readonly homes: string;
  /** From now on workers are processes of it. */
  run(command: Partial<Command>): void;
}

async function open(): Promise<CommandSubject> {
  const tree = await temporaryTree({ "worker.cjs": "" });
  const mark = `CONTRACT=${crypto.randomUUID()}`;
  const [name = "", value = ""] = mark.split("=");
  const lines: string[] = [];
  const homes = tree.path("homes");
  let served: Command = { command: [process.execPath, "worker.cjs"], cwd: tree.root };
  const launcher = createCommandLauncher({
    commandOf: ({ imageName }) => (imageName === "sv.local/contract" ? served : undefined),
    serviceAddress: () => "unix:/nowhere",
    liveService: () => ({ url: "http://127.0.0.1:1", pingIntervalMs: 5_000, cpuCount: 1 }),
    homes,
    extraEnv: () => ({ [name]: value }),
    line: ({ workerId }, line) => lines.push(`${workerId}: ${line}`),
  });
  return {
    launcher,
    homes,
    run: (command) => (served = { ...served, ...command }),
    templateOf(code) {
      // At once: a worker that was launched before may be reading it.
      fs.writeFileSync(tree.path("next.cjs"), code);
      fs.renameSync(tree.path("next.cjs"), tree.path("worker.cjs"));
      return templateNamed("sv.local/contract");
    },
    foreign: templateNamed("somebody/image:1"),
    lines,
    left: async () => processesMarked(mark).length,
    async [Symbol.asyncDispose]() {
      await launcher.close();
      await tree[Symbol.asyncDispose]();
    },
  };
}

launcherContract("commands", open);

it("gives each worker a home of its own, which goes with it", async () => {
  await using subject = await open();
  const code = `console.log(process.env.HOME); require("node:fs").writeFileSync(process.env.HOME + "/file", "")`;
  const { lastLogLines } = await subject.launcher.launch(orderOf(subject.templateOf(code))).exited;
  expect(lastLogLines[0]).toContain(subject.homes);
  expect(fs.readdirSync(subject.homes)).toEqual([]);
});

it("gives workers the time to load what they need before they say a word", async () => {
  await using subject = await open();
  const worker = subject.launcher.launch(orderOf(subject.templateOf("")));
  expect(worker.speaksLate).toBe(true);
  await worker.exited;
});

it("ends what a worker left running when it ended, though that holds its output open", async () => {
  await using subject = await open();
  const code = `require("node:child_process").spawn("sleep", ["1000"], { stdio: "inherit" }); setTimeout(() => process.exit(3), 100);`;
  const exit = await subject.launcher.launch(orderOf(subject.templateOf(code))).exited;
  expect(exit.exitCode).toBe(3);
  expect(await subject.left()).toBe(0);
});

it.each([
  [{ command: ["no-such-program"] }, 'there is no program "no-such-program" in PATH'],
  [{ command: ["./none"] }, 'there is no program "./none" from '],
  [{ command: ["./worker.cjs"] }, '"./worker.cjs" is not executable'],
  [{ cwd: "/no/such/directory" }, "there is no directory /no/such/directory"],
])("says why %o cannot be started", async (command, reason) => {
  await using subject = await open();
  subject.run(command);
  const { startError } = await subject.launcher.launch(orderOf(subject.templateOf(""))).exited;
  expect(startError).toContain(`the command cannot be started: ${reason}`);
});
