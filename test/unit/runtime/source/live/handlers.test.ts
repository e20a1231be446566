/** Handlers of all forms, in real handler processes, on jobs of the live queue. */
import { describe, expect, test } from "vitest";
import type { WorkerOptions } from "../../../../../runtime/worker.ts";
import { newLiveSource } from "../../../../live-queue/live-source.ts";
import { LiveQueue } from "../../../../live-queue/live-queue.ts";
import { WorkerRun } from "../../worker-run.ts";

function run(queue: LiveQueue, handler: string, options: Partial<WorkerOptions> = {}): WorkerRun {
  return new WorkerRun(handler, { ...options, openSource: () => newLiveSource(queue) });
}

describe("handlers on the live queue", () => {
  test("a returned value is the output, unchanged", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "echo");
    const input = { name: "Zoë 💚", deep: [[{ a: null }], 1e21, "\u2028\u0000"] };
    expect((await queue.done(queue.submit(input))).result).toEqual({ output: input });
    expect((await queue.done(queue.submit())).result).toEqual({ output: {} });
  });

  test("a job without an input has an empty one", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "echo");
    const job = queue.submit({}, { id: "job-1-e1", webhook: "https://example.com" });
    expect((await queue.done(job)).result).toEqual({ output: {} });
  });

  test("the output of a handler that returns nothing is null", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "cyclic-output");
    const job = await queue.done(queue.submit({ value: "nothing" }));
    expect([job.result, job.isStream]).toEqual([{ output: null }, false]);
  });

  test("200 jobs at once are each answered once, with their own output", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "echo");
    const jobs = Array.from({ length: 200 }, (__, n) => queue.submit({ n }));
    for (const job of jobs) await queue.done(job);
    expect(jobs.map(({ results }) => results)).toEqual(
      jobs.map((__, n) => [`{"output":{"n":${n}}}`]),
    );
  });

  test("a generator's yields are sent as chunks, and its return value as the output", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "async-generator");
    const job = await queue.done(queue.submit({ count: 3 }));
    expect(job.chunks).toEqual([{ number: 0 }, { number: 1 }, { number: 2 }]);
    expect([job.result, job.isStream]).toEqual([{ output: { made: 3 } }, true]);
  });

  test("a yield of three megabytes arrives whole, and on request all yields are the output", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "yields-3-mb");
    const job = await queue.done(queue.submit());
    const yields = ["first", { text: "é".repeat(1_500_000) }, "last"];
    expect([job.result, job.chunks]).toEqual([{ output: yields }, yields]);
  });

  test("a thrown value is reported as an error in the SDK's shape", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "throws-a-string");
    const job = await queue.done(queue.submit({ thrown: { message: "from elsewhere" } }));
    expect(job.error).toMatchObject({
      error_type: "handler_error",
      error_message: "from elsewhere",
    });
  });

  test("the end of a process is reported as an error that says how it ended, and the next job runs", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "exits-7");
    const job = await queue.done(queue.submit());
    expect(job.error).toMatchObject({
      error_type: "process_exited",
      error_message: expect.stringContaining("7"),
    });
    expect((await queue.done(queue.submit())).error).toBeDefined();
  });

  test("other jobs of a process that one job ended lose no attempt: the queue gets no report of them", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "writes-its-history");
    const neighbours = ["a", "b", "c"].map((marker) => queue.submit({ marker, workMs: 200 }));
    const dying = queue.submit({ marker: "d", workMs: 0, firstAttempt: "dies" });
    expect((await queue.done(dying)).error).toMatchObject({ error_type: "process_exited" });
    for (const job of neighbours) await queue.done(job);
    expect(neighbours.map(({ handOvers, result }) => [handOvers, result])).toEqual(
      ["a", "b", "c"].map((marker) => [1, { output: { marker, attempt: 1 } }]),
    );
  });

  test("progress is shown while the job runs", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "reports-progress");
    const job = await queue.done(queue.submit({ count: 1_000 }));
    expect(job.result).toEqual({ output: "done" });
    expect(job.progress[0]).toEqual({ n: 1 });
    expect(job.progress).not.toContain("too late");
  });

  test("a job's own executionTimeout ends it", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "forever");
    const policy = { executionTimeout: 50 };
    const job = queue.submit({}, { id: "job-1-e1", input: {}, policy });
    expect((await queue.done(job)).error).toMatchObject({ error_type: "execution_timeout" });
  });

  test("a stopped job's handler is told, and no result is sent", async () => {
    await using queue = await LiveQueue.start();
    await using worker = run(queue, "forever");
    const job = queue.submit();
    await worker.logged("waiting");
    queue.stop(job);
    const next = await queue.done(queue.submit({ quick: true }));
    expect(next.result).toEqual({ output: expect.stringContaining("quick in") });
    expect(job.results).toEqual([]);
  });

  test("a stopped job is ended from outside if its handler blocks, and the next job runs", async () => {
    await using queue = await LiveQueue.start();
    await using worker = run(queue, "blocks-the-loop", { graceMs: 1 });
    const job = queue.submit();
    await worker.logged("blocking");
    queue.stop(job);
    const next = await queue.done(queue.submit({ quick: true }));
    expect(next.result).toEqual({ output: expect.stringContaining("quick in") });
    expect([job.results, next.handOvers]).toEqual([[], 1]);
  });

  test("pings continue while the handler blocks its event loop", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "blocks-the-loop", { graceMs: 1 });
    const policy = { executionTimeout: 1_000 };
    const job = queue.submit({}, { id: "job-1-e1", input: {}, policy });
    const named = () =>
      queue.callsOf("ping").filter(({ jobIds }) => jobIds.includes(job.id)).length;
    await queue.until(() => named() >= 2);
    expect((await queue.done(job)).error).toMatchObject({ error_type: "execution_timeout" });
  });

  test("a handler that cannot be loaded is reported by a ping, and ends the worker", async () => {
    await using queue = await LiveQueue.start();
    await using worker = run(queue, "import-fails");
    expect(await worker.worker.ended).toBe("handler-unusable");
    expect(queue.callsOf("ping").map(({ unhealthy }) => unhealthy)).toContain(
      "import-fails.ts cannot be imported: the weights are not here",
    );
    expect(queue.callsOf("take")).toEqual([]);
  });

  test("the largest output arrives whole", async () => {
    await using queue = await LiveQueue.start();
    await using _ = run(queue, "echo");
    const text = "ü".repeat(5_000_000);
    const job = await queue.done(queue.submit({ text }));
    expect(job.result).toEqual({ output: { text } });
  });

  test("a draining worker finishes its job, reports the result across an outage, and takes no other job", async () => {
    await using queue = await LiveQueue.start();
    await using worker = run(queue, "async-generator");
    queue.upset("done", { status: 503 }, "lost-on-the-way", { status: 503 });
    const job = queue.submit({ count: 50 });
    await queue.until(() => job.chunks.length > 0);
    worker.worker.drain();
    const late = queue.submit({ count: 1 });
    expect(await worker.worker.ended).toBe("drained");
    expect([job.result, job.chunks.length]).toEqual([{ output: { made: 50 } }, 50]);
    expect(late.handOvers).toBe(0);
  });

  test("all jobs are done although the queue is unavailable again and again", async () => {
    await using queue = await LiveQueue.start({ leaseMs: 5_000 });
    await using _ = run(queue, "async-generator");
    const jobs = Array.from({ length: 20 }, () => queue.submit({ count: 5 }));
    for (const [n, job] of jobs.entries()) {
      if (n % 3 === 0) {
        await queue.until(() => job.handOvers > 0);
        queue.cut();
        setTimeout(() => queue.restore(), 20);
      }
      await queue.done(job);
    }
    expect(jobs.every(({ result }) => JSON.stringify(result) === '{"output":{"made":5}}')).toBe(
      true,
    );
  });
});
