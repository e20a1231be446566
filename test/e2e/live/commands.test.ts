/** Endpoints of commands: a worker that supports only the live protocol, from the job to its end. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pythonIsMissing } from "../../setup/python.ts";
import { CommandStage } from "./command-stage.ts";
import { testInFull } from "../../setup/size.ts";

interface Look {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

describe.skipIf(pythonIsMissing !== undefined)("workers of a command", () => {
  let stage: CommandStage;

  beforeAll(async () => {
    stage = await CommandStage.set();
  });
  afterAll(async () => stage[Symbol.asyncDispose]());

  test("bring values, errors and streams", async () => {
    const one = stage.endpoint("one");
    const value = await one.runSync({ do: "echo", message: "größer" });
    expect(value).toMatchObject({ status: "COMPLETED", output: { message: "größer" } });
    const failed = await one.run({ do: "fail", message: "no such model" });
    await expect(one.wait(failed.id)).rejects.toThrow("no such model");
    const { failure } = await one.status(failed.id);
    expect(failure?.stack).toContain("in run_fail");
    const { id } = await one.run({ do: "stream", count: 3 });
    const chunks = [];
    for await (const { output } of one.stream(id)) chunks.push(output);
    expect(chunks).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
  });

  test("have a home and a directory of their own, or a shared directory of their endpoint, and its variables", async () => {
    const { output } = await stage.endpoint<Look>("one").runSync({ do: "look" });
    const { HOME: home, RUNPOD_POD_ID: workerId } = output.env;
    expect(home).toContain(workerId);
    expect(output.env).toMatchObject({ OWN: "yes", RUNPOD_ENDPOINT_ID: "one" });
    expect(output.cwd).toContain(workerId);
    const { output: other } = await stage.endpoint<Look>("four").runSync({ do: "look" });
    expect(other.cwd).toBe(stage.path("jobs"));
  });

  test("hear of a cancelled job, and take the next one", async () => {
    const one = stage.endpoint("one");
    const { id } = await one.run({ do: "wait" });
    await stage.begun(id);
    expect((await one.cancel(id)).status).toBe("CANCELLED");
    expect((await one.runSync({ do: "echo" })).status).toBe("COMPLETED");
    expect((await one.status(id)).status).toBe("CANCELLED");
  });

  test("work on several jobs at once, whether they take them together or one by one", async () => {
    const four = stage.endpoint("four");
    const jobs = await Promise.all(Array.from({ length: 3 }, () => four.run({ do: "wait" })));
    const workers = await Promise.all(jobs.map(({ id }) => stage.begun(id)));
    expect(new Set(workers).size).toBe(1);
    // Three of its four places are taken.
    const fourth = await four.runSync({ do: "echo" });
    expect(fourth).toMatchObject({ status: "COMPLETED", workerId: workers[0] });
    await Promise.all(jobs.map(({ id }) => four.cancel(id)));
    const together = Array.from({ length: 4 }, () => four.runSync({ do: "wait", seconds: 0.1 }));
    const statuses = (await Promise.all(together)).map(({ status }) => status);
    expect(statuses).toEqual(Array(4).fill("COMPLETED"));
  });

  test("are replaced with all their processes when they are killed, and their job is tried again", async () => {
    const one = stage.endpoint("one");
    const { id } = await one.run({ do: "wait", seconds: 1 });
    const workerId = await stage.begun(id);
    const [leader, ...others] = stage.processes(workerId);
    // The pinging process keeps its output open.
    expect(others.length).toBeGreaterThan(0);
    process.kill(leader?.pid ?? 0, "SIGKILL");
    await stage.gone(workerId);
    const job = await one.wait(id);
    expect(job).toMatchObject({ status: "COMPLETED", retries: 1 });
    expect(job.workerId).not.toBe(workerId);
  });

  testInFull("finish their jobs and leave when the service stops", async () => {
    const { id } = await stage.endpoint("one").run({ do: "wait", seconds: 2 });
    const workerId = await stage.begun(id);
    expect(await stage.emulator.stop()).toEqual({ code: 0, signal: null });
    expect(stage.processes(workerId)).toEqual([]);
    await stage.start();
    const job = await stage.endpoint("one").status(id);
    expect(job).toMatchObject({ status: "COMPLETED", workerId });
  });

  test("end with a killed service", async () => {
    const { id } = await stage.endpoint("one").run({ do: "wait" });
    const workerId = await stage.begun(id);
    stage.emulator.child.kill("SIGKILL");
    await stage.emulator.exited;
    await stage.gone(workerId);
    expect(stage.processes(workerId)).toEqual([]);
  });
});
