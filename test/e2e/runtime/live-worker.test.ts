/**
 * The built `sv-worker` in the environment of the live service: it finds its queue, works, and leaves no job
 * undone.
 */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { LiveQueue } from "../../live-queue/live-queue.ts";
import { LiveWorker } from "./live-worker.ts";
import { program } from "./worker-program.ts";

const start = (queue: LiveQueue, fixture: string, env: Readonly<Record<string, string>> = {}) =>
  LiveWorker.start(fixture, { ...queue.environment(), ...env });

describe("sv-worker in the environment of the live service", () => {
  test("runs jobs; after SIGTERM it finishes its job, delivers the result after an outage and takes no other job", async () => {
    await using queue = await LiveQueue.start();
    await using worker = start(queue, "async-generator");
    expect((await queue.done(queue.submit({ count: 2 }))).result).toEqual({ output: { made: 2 } });
    const last = queue.submit({ count: 200 });
    await queue.until(() => last.chunks.length > 0);
    queue.upset("done", { status: 500 }, "lost-on-the-way");
    worker.child.kill("SIGTERM");
    await worker.says("draining: no further jobs are taken");
    await queue.until(() => queue.openQuestions === 0);
    const late = queue.submit({ count: 1 });
    expect(await worker.exit()).toEqual([0, null]);
    expect([last.chunks.length, last.results]).toEqual([200, ['{"output":{"made":200}}']]);
    expect(late.handOvers).toBe(0);
  });

  test("exits at once when it is idle, though its request for jobs is held", async () => {
    await using queue = await LiveQueue.start({ holdMs: 600_000 });
    await using worker = start(queue, "echo");
    await queue.until(() => queue.openQuestions === 1);
    worker.child.kill("SIGTERM");
    expect(await worker.exit()).toEqual([0, null]);
    expect(queue.openQuestions).toBe(0);
  });

  test("exits with 4 when the queue refuses it, and with 3 when its handler cannot be loaded", async () => {
    await using queue = await LiveQueue.start();
    queue.upset("take", ...Array.from({ length: 3 }, () => ({ status: 401, body: "who?" })));
    await using unwanted = start(queue, "echo");
    expect(await unwanted.exit()).toEqual([4, null]);
    expect(unwanted.stderr).toContain("the queue gives it no jobs: 401: who?");
    await using unusable = start(queue, "import-fails");
    expect(await unusable.exit()).toEqual([3, null]);
    expect(queue.callsOf("ping").some(({ unhealthy }) => unhealthy !== undefined)).toBe(true);
  });

  test("exits with 2 and a message when that environment is incomplete", () => {
    const env = { RUNPOD_WEBHOOK_GET_JOB: "http://127.0.0.1:1/job-take/$ID" };
    const { status, stderr } = spawnSync(process.execPath, [program, "handler.ts"], {
      encoding: "utf8",
      env,
    });
    expect(status).toBe(2);
    expect(stderr).toContain(
      "RUNPOD_WEBHOOK_POST_OUTPUT must be set where RUNPOD_WEBHOOK_GET_JOB is.",
    );
  });

  test("prefers the service of our own protocol to the live one", async () => {
    await using queue = await LiveQueue.start();
    const own = { SV_SERVICE_ADDRESS: "127.0.0.1:1", SV_WORKER_TOKEN: "token" };
    await using worker = start(queue, "echo", own);
    await worker.says("lost the connection to the service");
    expect(queue.calls).toEqual([]);
  });
});
