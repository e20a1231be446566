/** The live source has one open job request at a time, retries it, ends after repeated refusals, and never busy-loops. */
import { describe, expect, test } from "vitest";
import { LiveListener } from "../../../../live-queue/live-source.ts";
import { LiveQueue } from "../../../../live-queue/live-queue.ts";

const completed = { kind: "completed", output: Buffer.from("1") } as const;

describe("asking for jobs", () => {
  test("no request is sent without credit; with credit, one request is open at a time", async () => {
    await using queue = await LiveQueue.start({ leaseMs: 60_000 });
    await using worker = LiveListener.start(queue, 0);
    await queue.until(() => queue.callsOf("ping").length > 0);
    expect(queue.callsOf("take")).toEqual([]);
    worker.source.grant(1);
    await queue.until(() => queue.openQuestions === 1);
    worker.source.grant(1);
    const first = queue.submit({ n: 1 });
    const second = queue.submit({ n: 2 });
    await worker.until(() => worker.jobs.length === 2);
    expect(worker.jobs.map(({ jobId }) => jobId)).toEqual([first.id, second.id]);
    expect(worker.jobs[0]).toMatchObject({
      attempt: 1,
      input: Buffer.from('{"n":1}'),
    });
  });

  test("a worker requests as many jobs as it has room for", async () => {
    await using queue = await LiveQueue.start();
    await using worker = LiveListener.start(queue, 4);
    await queue.until(() => queue.openQuestions === 1);
    queue.submit();
    await queue.until(() => queue.openQuestions === 0);
    await queue.until(() => queue.openQuestions === 1);
    for (let n = 0; n < 2; n += 1) queue.submit();
    await worker.until(() => worker.jobs.length === 3);
    await queue.until(() => queue.callsOf("take").length === 4);
    const asked = queue.callsOf("take").map(({ count, isBusy }) => [count, isBusy]);
    expect(asked).toEqual([
      [4, false],
      [3, true],
      [2, true],
      [1, true],
    ]);
  });

  test("a single job is accepted in place of a list; jobs beyond the credit wait until more credit is granted", async () => {
    await using queue = await LiveQueue.start();
    const list = ["a", "b", "c"].map((id) => ({ id, input: {} }));
    queue.upset("take", { status: 200, body: '{"id":"solo"}' });
    queue.upset("take", { status: 200, body: JSON.stringify(list) });
    await using worker = LiveListener.start(queue, 2);
    await worker.until(() => worker.jobs.length === 2);
    worker.source.grant(1);
    worker.source.grant(1);
    expect(worker.jobs.map(({ jobId }) => jobId)).toEqual(["solo", "a", "b", "c"]);
    expect(queue.callsOf("take").map(({ count }) => count)).toEqual([2, 1]);
  });

  test.each([
    { status: 204 },
    { status: 400 },
    { status: 429 },
    { status: 500, body: "oh" },
    { status: 302 },
    { status: 200, body: "" },
    { status: 200, body: "<html>", contentType: "text/html" },
    { status: 200, body: '{"input":{}}' },
    { status: 200, body: '{"id' },
    { status: 401 },
    { status: 404 },
    "lost-on-the-way",
    { delayMs: 20 },
  ] as const)("after %j the source sends its request again, and a job arrives", async (mishap) => {
    await using queue = await LiveQueue.start();
    queue.upset("take", mishap, mishap);
    await using worker = LiveListener.start(queue, 1);
    const job = queue.submit({ name: "Zoë" });
    await worker.until(() => worker.jobs.length === 1);
    void worker.source.finish(worker.jobs[0] ?? { jobId: "", leaseToken: "" }, completed);
    await queue.done(job);
    expect(job.handOvers).toBe(1);
  });

  test("jobs without an id are reported and skipped; the other jobs run", async () => {
    await using queue = await LiveQueue.start();
    queue.upset("take", { status: 200, body: '[{"input":{}},{"id":"whole"}]' });
    await using worker = LiveListener.start(queue, 2);
    await worker.until(() => worker.jobs.length === 1);
    expect(worker.jobs[0]).toMatchObject({ jobId: "whole", input: Buffer.from("{}") });
    expect(worker.said).toContain('the queue gave a job without an id: {"input":{}}');
  });

  test("a job that the worker already holds does not run twice", async () => {
    await using queue = await LiveQueue.start();
    const twice = { status: 200, body: '{"id":"twice"}' };
    queue.upset("take", twice, twice, twice);
    await using worker = LiveListener.start(queue, 2);
    await queue.until(() => queue.openQuestions === 1);
    expect(worker.jobs).toHaveLength(1);
  });

  test("a request that gets no answer within its time limit is repeated", async () => {
    await using queue = await LiveQueue.start();
    await using _ = LiveListener.start(queue, 1, { times: { pollLimitMs: 20 } });
    await queue.until(() => queue.callsOf("take").length >= 3);
    expect(queue.openQuestions).toBeLessThanOrEqual(1);
  });

  test.each([401, 403, 404])(
    "three %i answers in a row end the source with a refusal",
    async (status) => {
      await using queue = await LiveQueue.start();
      const denial = { status, body: "go away" };
      queue.upset("take", denial, denial, { status: 204 }, denial, denial, denial);
      await using worker = LiveListener.start(queue, 1);
      await worker.until(() => worker.refusals.length === 1);
      expect(worker.refusals).toEqual([`the queue gives it no jobs: ${status}: go away`]);
      expect(queue.callsOf("take")).toHaveLength(6);
    },
  );

  test("a refused worker first finishes the jobs that it holds, then ends", async () => {
    await using queue = await LiveQueue.start();
    await using worker = LiveListener.start(queue, 2);
    const job = queue.submit();
    await worker.until(() => worker.jobs.length === 1);
    const denial = { status: 401 };
    queue.upset("take", ...Array.from({ length: 1_000 }, () => denial));
    queue.endQuestions();
    await queue.until(() => queue.callsOf("take").length >= 6);
    expect(worker.refusals).toEqual([]);
    const [held = { jobId: "", leaseToken: "" }] = worker.jobs;
    expect(await worker.source.finish(held, completed)).toEqual({ accepted: true });
    await worker.until(() => worker.refusals.length === 1);
    expect(job.results).toEqual(['{"output":1}']);
  });

  test.each([204, 400, 500, 429])(
    "a queue that answers %i at once is not asked more often than the pauses allow",
    async (status) => {
      await using queue = await LiveQueue.start();
      queue.upset("take", ...Array.from({ length: 1_000 }, () => ({ status })));
      const waitMs = 40;
      const times = {
        emptyPauseMs: waitMs,
        tooManyPauseMs: waitMs,
        retry: { firstMs: 2 * waitMs, maxMs: 2 * waitMs },
      };
      const begun = performance.now();
      await using _ = LiveListener.start(queue, 1, { times });
      await queue.until(() => queue.callsOf("take").length >= 6);
      // Pauses can only get longer on a slow machine. A timer may be early by a millisecond.
      expect(performance.now() - begun).toBeGreaterThanOrEqual(5 * (waitMs - 1));
    },
  );

  test("if the address has no /job-take/, jobs are taken one at a time, and this is logged", async () => {
    await using queue = await LiveQueue.start();
    const { RUNPOD_WEBHOOK_GET_JOB: address = "" } = queue.environment();
    const env = { RUNPOD_WEBHOOK_GET_JOB: address.replace("/job-take/", "/next-job/") };
    const worker = LiveListener.start(queue, 4, { env });
    await queue.until(() => queue.objections.length > 0);
    await worker.source.close();
    expect(queue.objections.splice(0)[0]).toMatch(/next-job\/w-1\?.*operation next-job$/u);
    expect(worker.said[0]).toMatch(/does not contain \/job-take\/: jobs are taken one at a time/u);
    expect(queue.callsOf("stop")).toEqual([]);
  });
});

describe("stops", () => {
  test("a stopped job is revoked, and its result is not reported", async () => {
    await using queue = await LiveQueue.start();
    await using worker = LiveListener.start(queue, 2);
    const [stopped, other] = [queue.submit(), queue.submit()];
    await worker.until(() => worker.jobs.length === 2);
    queue.stop(stopped);
    await worker.until(() => worker.revocations.length === 1);
    const [first, second] = worker.jobs;
    if (first === undefined || second === undefined) throw new Error("There are two jobs.");
    expect(worker.revocations).toMatchObject([{ jobId: stopped.id, reason: "cancelled" }]);
    expect(await worker.source.finish(first, completed)).toEqual({ accepted: false });
    expect(await worker.source.finish(second, completed)).toEqual({ accepted: true });
    expect([stopped.results.length, other.results.length]).toEqual([0, 1]);
  });

  test("an unreported result is dropped when its job is stopped", async () => {
    await using queue = await LiveQueue.start();
    await using worker = LiveListener.start(queue, 1);
    const job = queue.submit();
    await worker.until(() => worker.jobs.length === 1);
    queue.upset("done", ...Array.from({ length: 1_000 }, () => ({ status: 500 })));
    const finished = worker.source.finish(
      worker.jobs[0] ?? { jobId: "", leaseToken: "" },
      completed,
    );
    await queue.until(() => queue.callsOf("done").length >= 2);
    queue.stop(job);
    expect(await finished).toEqual({ accepted: false });
    expect(worker.revocations).toEqual([]);
  });

  test("if the queue does not support stop requests, polling for stops ends, and this is logged once", async () => {
    await using queue = await LiveQueue.start();
    const unknown = { status: 404 };
    queue.upset("stop", { status: 500 }, unknown, { status: 204 }, unknown, unknown, unknown);
    await using worker = LiveListener.start(queue, 1);
    const says = "the queue does not report the jobs to stop: they run on";
    await queue.until(() => worker.said.includes(says) || queue.callsOf("stop").length > 6);
    const job = queue.submit();
    await worker.until(() => worker.jobs.length === 1);
    void worker.source.finish(worker.jobs[0] ?? { jobId: "", leaseToken: "" }, completed);
    await queue.done(job);
    expect(queue.callsOf("stop")).toHaveLength(6);
    expect(worker.said.filter((line) => line === says)).toHaveLength(1);
  });

  test.each(['{"jobsToStop":"all"}', "{}", "null", "<html>", '{"jobsToStop":[7,"nobody"]}'])(
    "%s stops nothing",
    async (body) => {
      await using queue = await LiveQueue.start();
      queue.upset("stop", { status: 200, body });
      await using worker = LiveListener.start(queue, 1);
      await queue.until(() => queue.callsOf("stop").length === 2);
      expect(worker.revocations).toEqual([]);
    },
  );
});
