/** Workers and services that are really stopped for longer than a lease, by SIGSTOP. */
import fs from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { eventually, type ObservedProcess, processesMarked } from "../jobs/observe.ts";
import { Stage } from "../jobs/stage.ts";

interface Output {
  readonly marker: string;
  readonly attempt: number;
}

interface Scene extends AsyncDisposable {
  readonly stage: Stage;
  /** Resolves when the handler has written down that it did so, for example "started 1" (the attempt). */
  happened(fact: string): Promise<void>;
  history(): Promise<string[]>;
  /** The processes of the endpoint's workers. */
  processes(): ObservedProcess[];
}

const isSupervisor = ({ commandLine }: ObservedProcess) => commandLine.includes("sv-worker");

/** An emulator with one worker that is idle, of the endpoint `slow`. */
async function setScene(): Promise<Scene> {
  const tree = await temporaryTree({ history: "" });
  const mark = { name: "STOPPED_WORKER", value: crypto.randomUUID() };
  const env = { [mark.name]: mark.value, TAP_FILE: tree.path("history") };
  const stage = await Stage.set({
    endpoints: { slow: { handler: "writes-its-history.ts", workersMin: 1, workersMax: 1, env } },
  });
  await eventually("the worker is idle", async () => {
    const { workers } = await stage.endpoint("slow").health();
    return workers.idle === 1 ? true : undefined;
  });
  const history = async () =>
    (await fs.readFile(tree.path("history"), "utf8")).split("\n").flatMap((line) => {
      if (line === "") return [];
      const { type, attempt } = JSON.parse(line) as Record<string, unknown>;
      return [`${String(type)} ${String(attempt)}`];
    });
  return {
    stage,
    history,
    happened: async (fact) =>
      void (await eventually(`the handler ${fact}`, async () =>
        (await history()).includes(fact) ? true : undefined,
      )),
    processes: () => processesMarked(`${mark.name}=${mark.value}`),
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
}

export async function aStoppedWorkerIsReplaced(): Promise<void> {
  await using scene = await setScene();
  const { stage, happened, history } = scene;
  const slow = stage.endpoint<Output>("slow");
  const { id } = await slow.run({ marker: "slow", workMs: 1_000 });
  await happened("started 1");
  const { workerId: stopped } = await slow.status(id);
  const old = scene.processes();
  expect(old.filter(isSupervisor)).toHaveLength(1);
  // The handler process too: it cannot see that its supervisor is killed.
  for (const { pid } of old) process.kill(pid, "SIGSTOP");
  const second = await slow.run({ marker: "second", workMs: 0 });

  const job = await slow.wait(id, { timeoutMs: 60_000 });
  expect(job).toMatchObject({ output: { marker: "slow", attempt: 2 }, retries: 1 });
  expect(job.workerId).not.toBe(stopped);
  // It was handed to the worker that did not look at it any more.
  expect(await slow.wait(second.id)).toMatchObject({ output: { attempt: 2 }, retries: 1 });
  expect((await history()).toSorted()).toEqual([
    ...["finished 2", "finished 2"],
    ...["started 1", "started 2", "started 2"],
  ]);
  await stage.emulator.stderrMatch(
    /worker said nothing for 15\d{3} ms: it is lost and will be ended/,
  );
  expect(await slow.health()).toMatchObject({
    jobs: { completed: 2, failed: 0, inProgress: 0, inQueue: 0, retried: 2 },
    workers: { unhealthy: 0 },
  });
  const left = new Set(scene.processes().map(({ pid }) => pid));
  expect(old.filter(({ pid }) => left.has(pid))).toEqual([]);
}

export async function aDrainDoesNotWaitForAStoppedWorker(): Promise<void> {
  await using scene = await setScene();
  for (const { pid } of scene.processes()) process.kill(pid, "SIGSTOP");
  const askedAt = performance.now();
  // Checks that it ends well and that nothing is left.
  await scene.stage.stop();
  const tookMs = performance.now() - askedAt;
  console.log(`figure: a drain with a stopped worker took ${tookMs.toFixed(0)} ms`);
  expect(tookMs).toBeLessThan(LIMITS.leaseMs + 10_000);
}

export async function aStoppedServiceLosesNoWorker(): Promise<void> {
  await using scene = await setScene();
  const { stage, happened, history } = scene;
  const slow = stage.endpoint<Output>("slow");
  const { id } = await slow.run({ marker: "slow", workMs: LIMITS.leaseMs + 10_000 });
  await happened("started 1");
  const before = scene.processes().filter(isSupervisor);
  stage.emulator.child.kill("SIGSTOP");
  try {
    await delay(LIMITS.leaseMs + 5_000);
  } finally {
    stage.emulator.child.kill("SIGCONT");
  }
  await stage.emulator.stderrMatch(/the service stood still for \d+ ms/);
  const job = await slow.wait(id, { timeoutMs: 60_000 });
  expect(job).toMatchObject({ output: { marker: "slow", attempt: 1 } });
  expect(await history()).toEqual(["started 1", "finished 1"]);
  expect(scene.processes().filter(isSupervisor)).toEqual(before);
  expect((await slow.health()).jobs).toMatchObject({ completed: 1, retried: 0 });
}
