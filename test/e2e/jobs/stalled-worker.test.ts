/** A worker that is stopped past its lease and wakes again has lost its job: what it still says of it counts nothing. */
import fs from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { eventually, processesMarked } from "./observe.ts";
import { Stage } from "./stage.ts";

interface Output {
  readonly marker: string;
  readonly attempt: number;
}

/** The supervisor that has the worker id. */
async function supervisorPid(mark: string, workerId: string): Promise<number> {
  const supervisors = processesMarked(mark).filter(({ commandLine }) =>
    commandLine.includes("sv-worker"),
  );
  for (const { pid } of supervisors) {
    const variables = (await fs.readFile(`/proc/${pid}/environ`, "utf8")).split("\0");
    if (variables.includes(`SV_WORKER_ID=${workerId}`)) return pid;
  }
  throw new Error(`none of ${supervisors.length} supervisors is that of ${workerId}`);
}

test("a worker stopped past its lease loses its job to another, and its outcome is refused when it wakes", async () => {
  await using tree = await temporaryTree({ history: "" });
  const mark = `STALLED_WORKER=${crypto.randomUUID()}`;
  const [name = "", value = ""] = mark.split("=");
  const env = { [name]: value, TAP_FILE: tree.path("history") };
  await using stage = await Stage.set({
    endpoints: { slow: { handler: "writes-its-history.ts", workersMin: 2, workersMax: 2, env } },
  });
  const slow = stage.endpoint<Output>("slow");
  await eventually("both workers are idle", async () => {
    const { workers } = await slow.health();
    return workers.idle === 2 ? true : undefined;
  });
  const history = async () =>
    (await fs.readFile(tree.path("history"), "utf8")).split("\n").flatMap((line) => {
      if (line === "") return [];
      const { type, attempt, marker } = JSON.parse(line) as Record<string, unknown>;
      return marker === "stalled" ? [`${String(type)} ${String(attempt)}`] : [];
    });
  const happened = async (fact: string) =>
    eventually(`the handler ${fact}`, async () =>
      (await history()).includes(fact) ? true : undefined,
    );

  const { id } = await slow.run({ marker: "stalled", workMs: 4_000 });
  await happened("started 1");
  const { workerId: stalled = "" } = await slow.status(id);
  const pid = await supervisorPid(mark, stalled);
  process.kill(pid, "SIGSTOP");
  try {
    // Nobody stops the handler process: its outcome waits in the pipe for the supervisor.
    await happened("finished 1");
    const rerun = await eventually(
      "another worker has the job",
      async () => {
        const job = await slow.status(id);
        return job.status === "IN_PROGRESS" && job.retries === 1 ? job : undefined;
      },
      30_000,
    );
    expect(rerun.workerId).not.toBe(stalled);
    await happened("started 2");
    expect(await history()).toEqual(["started 1", "finished 1", "started 2"]);
  } finally {
    process.kill(pid, "SIGCONT");
  }

  // The woken worker takes part again while the second attempt is still at work.
  await eventually("the woken worker does a job", async () => {
    const job = await slow.runSync({ marker: "next", workMs: 0 });
    return job.workerId === stalled ? true : undefined;
  });
  expect(await slow.status(id)).toMatchObject({ status: "IN_PROGRESS", retries: 1 });

  const job = await slow.wait(id);
  expect(job).toMatchObject({ output: { marker: "stalled", attempt: 2 }, retries: 1 });
  expect(job.workerId).not.toBe(stalled);
  expect(await history()).toEqual(["started 1", "finished 1", "started 2", "finished 2"]);
  expect(await slow.status(id)).toEqual(job);
  const { jobs, workers } = await slow.health();
  expect(jobs).toMatchObject({ failed: 0, inProgress: 0, inQueue: 0, retried: 1 });
  expect(workers).toMatchObject({ idle: 2, running: 0 });
});
