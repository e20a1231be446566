/** Another process kills the handler process while it works. */
import { expect, test } from "vitest";
import { JobFailedError } from "../../../runtime/client/index.ts";
import { eventually, processesMarked } from "./observe.ts";
import { Stage } from "./stage.ts";

test("a job is run once more when its handler process is killed, then FAILED with the signal and the last output; the next job completes", async () => {
  const mark = `KILLED_HANDLER=${crypto.randomUUID()}`;
  const [name = "", value = ""] = mark.split("=");
  await using stage = await Stage.set({
    endpoints: { forever: { handler: "forever.ts", workersMax: 1, env: { [name]: value } } },
  });
  const forever = stage.endpoint<string>("forever");
  const { workerId } = await forever.runSync({ quick: true });
  const { id } = await forever.run({});
  const ended = forever.wait(id).catch((error: unknown) => error);

  const handlerPids = () =>
    processesMarked(mark)
      .filter(({ commandLine }) => commandLine.includes("handler-process"))
      .map(({ pid }) => pid);
  const timesWaiting = () =>
    stage.emulator.stderrLines.filter(
      (line) => line.includes('"msg":"waiting"') && line.includes(id),
    ).length;
  const killed: number[] = [];
  for (const attempt of [1, 2]) {
    const pid = await eventually(`the handler works, attempt ${attempt}`, () => {
      if (timesWaiting() < attempt) return undefined;
      return handlerPids().find((found) => !killed.includes(found));
    });
    killed.push(pid);
    process.kill(pid, "SIGKILL");
  }

  const error = await ended;
  if (!(error instanceof JobFailedError)) throw error;
  expect(error.job).toMatchObject({
    status: "FAILED",
    retries: 1,
    workerId,
    error: expect.stringMatching(/./),
    failure: {
      type: "process_exited",
      message: "The handler process was ended by SIGKILL while it worked on the job.",
      signal: "SIGKILL",
      workerId,
      lastLogLines: ["waiting"],
    },
  });
  expect(error.job.failure).not.toHaveProperty("exitCode");

  const next = await forever.runSync({ quick: true });
  expect(next.workerId).toBe(workerId);
  expect(killed).not.toContain(Number(/\d+/.exec(next.output)?.[0]));
  expect(timesWaiting()).toBe(2);
  expect(await forever.health()).toMatchObject({
    jobs: { completed: 2, failed: 1, inProgress: 0, inQueue: 0, retried: 1 },
  });
});
