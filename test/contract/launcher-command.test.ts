/** The launcher of commands keeps the contract of launchers, and explains commands that cannot be run. */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import {
  type Command,
  createCommandLauncher,
} from "../../emulator/launch/processes/command-launcher.ts";
import { launcherContract } from "./launcher.contract.ts";
import { processSubject, SERVED } from "./launcher/process-subject.ts";
import { type LauncherSubject, orderOf } from "./launcher/subject.ts";

interface CommandSubject extends LauncherSubject {
  readonly places: string;
  readonly root: string;
  /** Changes the command of later workers. */
  run(command: Partial<Command>): void;
}

async function open(): Promise<CommandSubject> {
  let served: Command | undefined;
  const subject = await processSubject((launching, tree) => {
    served = { command: [process.execPath, "worker.cjs"], cwd: tree.root };
    return createCommandLauncher({
      ...launching,
      commandOf: ({ imageName }) => (imageName === SERVED ? served : undefined),
      liveService: () => ({ url: "http://127.0.0.1:1", pingIntervalMs: 5_000, cpuCount: 1 }),
      places: tree.path("places"),
    });
  });
  const { tree } = subject;
  return {
    ...subject,
    places: tree.path("places"),
    root: fs.realpathSync(tree.root),
    run: (command) => served && (served = { ...served, ...command }),
  };
}

launcherContract("commands", open);

it("each worker has its own home, which is removed with it", async () => {
  await using subject = await open();
  const code = `console.log(process.env.HOME); require("node:fs").writeFileSync(process.env.HOME + "/file", "")`;
  const { lastLogLines } = await subject.launcher.launch(orderOf(subject.templateOf(code))).exited;
  expect(lastLogLines[0]).toContain(subject.places);
  expect(fs.readdirSync(subject.places)).toEqual([]);
});

it("each worker has its own directory, with the served files; files that it creates are not shared", async () => {
  await using subject = await open();
  const code = `
    const fs = require("node:fs");
    console.log(fs.readdirSync(".").filter((name) => name !== "places").join());
    console.log(fs.realpathSync(__filename));
    fs.writeFileSync("made", "");
  `;
  const launch = () => subject.launcher.launch(orderOf(subject.templateOf(code))).exited;
  const served = path.join(subject.root, "worker.cjs");
  expect((await launch()).lastLogLines).toEqual(["worker.cjs", served]);
  expect((await launch()).lastLogLines).toEqual(["worker.cjs", served]);
  subject.run({ workingDirectory: "shared" });
  await launch();
  expect((await launch()).lastLogLines[0]).toBe("made,worker.cjs");
});

it("a worker never gets the file in which another keeps its jobs", async () => {
  await using subject = await open();
  fs.writeFileSync(path.join(subject.root, ".runpod_jobs.pkl"), "");
  fs.writeFileSync(path.join(subject.root, ".runpod_jobs.pkl.lock"), "");
  const code = `console.log(require("node:fs").readdirSync(".").join())`;
  const { lastLogLines } = await subject.launcher.launch(orderOf(subject.templateOf(code))).exited;
  expect(lastLogLines[0]).not.toContain("runpod");
});

it("programs and files are found above the served directory, and arguments that only look like a file are unchanged", async () => {
  await using subject = await open();
  const program = "#!/bin/sh\necho $1 $2";
  fs.mkdirSync(path.join(subject.root, "served"));
  fs.writeFileSync(path.join(subject.root, "program"), program, { mode: 0o755 });
  fs.writeFileSync(path.join(subject.root, "beside"), "");
  fs.writeFileSync(path.join(subject.root, "served", "word"), "");
  const file = path.join(subject.root, "beside");
  subject.run({
    command: ["../program", "word", "../beside"],
    cwd: path.join(subject.root, "served"),
  });
  const { lastLogLines } = await subject.launcher.launch(orderOf(subject.templateOf(""))).exited;
  expect(lastLogLines[0]).toBe(`word ${file}`);
});

it("workers have time to load before their first report", async () => {
  await using subject = await open();
  const worker = subject.launcher.launch(orderOf(subject.templateOf("")));
  expect(worker.speaksLate).toBe(true);
  await worker.exited;
});

it("processes that an ended worker left running are ended, even if they hold its output open", async () => {
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
])("a refusal to start %o names the reason", async (command, reason) => {
  await using subject = await open();
  subject.run(command);
  const { startError } = await subject.launcher.launch(orderOf(subject.templateOf(""))).exited;
  expect(startError).toContain(`the command cannot be started: ${reason}`);
});
