/** Workers of one command that each keep a file with their jobs in their working directory. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createClient } from "../../../runtime/client/index.ts";
import { pythonIsMissing } from "../../setup/python.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { eventually, processesMarked } from "../jobs/observe.ts";

const programs = path.resolve(import.meta.dirname, "../../fixtures/live-worker");
const PROGRAM = "keeps-held-jobs-in-a-file.py";
const JOBS = 12;

/** An emulator with three such workers, in the directory of the config and its files. */
async function threeWorkers() {
  const endpoint = { command: ["python3", PROGRAM], workersMin: 3, workersMax: 3 };
  const tree = await temporaryTree({
    "sv.config.json": JSON.stringify({ endpoints: { slow: endpoint } }),
  });
  for (const name of [PROGRAM, "handler.py"])
    fs.copyFileSync(path.join(programs, name), tree.path(name));
  const emulator = await startEmulatorProcess({ cwd: tree.root });
  const { url, apiKey } = emulator;
  const slow = createClient({ baseUrl: url, apiKey }).endpoint<object>("slow");
  await eventually("all three are ready", async () =>
    (await slow.health()).workers.idle === 3 ? true : undefined,
  );
  return {
    tree,
    slow,
    emulator,
    async [Symbol.asyncDispose]() {
      await emulator[Symbol.asyncDispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
}

describe.skipIf(pythonIsMissing !== undefined)("three workers of one command", () => {
  test("do not damage each other's files, and finish twelve jobs", async () => {
    await using stage = await threeWorkers();
    const { slow } = stage;
    const input = { do: "wait", seconds: 1 };
    const ids = await Promise.all(Array.from({ length: JOBS }, async () => slow.run(input)));
    const jobs = await Promise.all(ids.map(({ id }) => slow.wait(id, { timeoutMs: 45_000 })));
    expect(jobs.map(({ status }) => status)).toEqual(Array(JOBS).fill("COMPLETED"));
    expect(new Set(jobs.map(({ workerId }) => workerId)).size).toBe(3);
    expect(jobs.filter(({ retries = 0 }) => retries > 0)).toEqual([]);
    expect(fs.readdirSync(stage.tree.root)).not.toContain(".runpod_jobs.pkl");
  });

  test("lose no job when one worker is killed in mid-job: its successor does not claim that job", async () => {
    await using stage = await threeWorkers();
    const { slow } = stage;
    const input = { do: "wait", seconds: 1 };
    const ids = await Promise.all(Array.from({ length: JOBS }, async () => slow.run(input)));
    const workerId = await eventually("a worker has a job", async () => {
      const jobs = await Promise.all(ids.map(({ id }) => slow.status(id)));
      return jobs.find(({ status }) => status === "IN_PROGRESS")?.workerId;
    });
    const [leader] = processesMarked(`SV_WORKER_ID=${workerId}`).toSorted(
      (a, b) => a.startedAt - b.startedAt || a.pid - b.pid,
    );
    process.kill(leader?.pid ?? 0, "SIGKILL");
    const jobs = await Promise.all(ids.map(({ id }) => slow.wait(id, { timeoutMs: 45_000 })));
    expect(jobs.map(({ status }) => status)).toEqual(Array(JOBS).fill("COMPLETED"));
    expect(jobs.some(({ retries = 0 }) => retries === 1)).toBe(true);
  });
});
