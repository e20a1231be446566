/** Duties of every job source for its service, seen from both ends; each has its own protocol. */
import { describe, expect, test } from "vitest";
import { splitJson } from "../unit/runtime/core/split-arbitrary.ts";
import { bytes, chunk } from "./job-source/connected.ts";
import { type JobService, seen, TestWorker } from "./job-source-service/service.ts";

const completed = (output: unknown) =>
  ({ kind: "completed", output: bytes(JSON.stringify(output)) }) as const;
const line = (index: number, output: unknown) =>
  chunk(index, JSON.stringify({ output, metrics: { stream_index: index } }));

/** Runs the suite. `start` creates a service for one test. */
export function jobSourceServiceContract(name: string, start: () => Promise<JobService>): void {
  describe(`${name}: a source and its service`, () => {
    describe("jobs", () => doesJobs(start));
    describe("over lost connections", () => outlivesConnections(start));
    describe("leaving", () => leaves(start));
  });
}

function doesJobs(start: () => Promise<JobService>): void {
  test("a submitted job arrives, and clients get its output unchanged", async () => {
    await using service = await start();
    await using worker = TestWorker.start(service, 1);
    const input = { name: "Zoë 💚", deep: [{ a: null }, 1.5] };
    const id = await service.submit(input);
    const job = await worker.arrives(0);
    expect(job).toMatchObject({ jobId: id, attempt: 1 });
    // Without a time limit of the service, the worker must not be the first to end the connection.
    expect(job.executionTimeoutMs).toBeGreaterThanOrEqual(600_000);
    expect(JSON.parse(Buffer.from(job.input).toString())).toEqual(input);
    expect(await worker.source.finish(job, completed(input))).toEqual({ accepted: true });
    expect(await service.jobOf(id)).toEqual({
      isDone: true,
      output: input,
      error: undefined,
      chunks: [],
    });
  });

  test("jobs arrive in order, and never more jobs than the credit allows", async () => {
    await using service = await start();
    const ids: string[] = [];
    for (let n = 0; n < 6; n += 1) ids.push(await service.submit({ n }));
    await using worker = TestWorker.start(service, 2);
    for (const n of ids.keys()) {
      const job = await worker.arrives(n);
      expect(worker.jobs.length - n).toBeLessThanOrEqual(2);
      await worker.source.finish(job, completed(n));
      worker.source.grant(1);
    }
    expect(worker.jobs.map(({ jobId }) => jobId)).toEqual(ids);
  });

  test("a job without credit arrives when there is credit", async () => {
    await using service = await start();
    await using worker = TestWorker.start(service, 0);
    const id = await service.submit({});
    await worker.welcomed;
    expect(worker.jobs).toEqual([]);
    worker.source.grant(1);
    expect((await worker.arrives(0)).jobId).toBe(id);
  });

  test("clients get chunks in order, and the source reports that they are stored", async () => {
    await using service = await start();
    await using worker = TestWorker.start(service, 1);
    const id = await service.submit({});
    const job = await worker.arrives(0);
    const outputs = [0, 'é,}"', { text: "x".repeat(100_000) }, [null]];
    for (const [index, output] of outputs.entries()) {
      worker.source.chunks(job, line(index, output));
    }
    await worker.until(() => worker.stored.at(-1)?.nextIndex === outputs.length);
    await worker.source.finish(job, completed("all"));
    expect(await service.jobOf(id)).toMatchObject({ output: "all", chunks: outputs });
  });

  test("clients get a yield of several megabytes whole, in whatever parts it is sent", async () => {
    await using service = await start();
    await using worker = TestWorker.start(service, 1);
    const id = await service.submit({});
    const job = await worker.arrives(0);
    const large = { text: "é".repeat(1_500_000), list: [1, { deep: "x".repeat(1_200_000) }] };
    const parts = splitJson(large);
    worker.source.chunks(job, line(0, "small"));
    for (const [part, { json, continues }] of parts.entries()) {
      const split = { part, continues, last: part === parts.length - 1 };
      const metrics = JSON.stringify({ stream_index: part + 1, split });
      worker.source.chunks(job, chunk(part + 1, `{"output":${json},"metrics":${metrics}}`));
    }
    await worker.until(() => worker.stored.at(-1)?.nextIndex === parts.length + 1);
    await worker.source.finish(job, completed("all"));
    expect((await service.jobOf(id)).chunks).toEqual(["small", large]);
  });

  test("clients get progress while the job runs, its newest value at the end, and then the result", async () => {
    await using service = await start();
    await using worker = TestWorker.start(service, 1);
    const id = await service.submit({});
    const job = await worker.arrives(0);
    for (let n = 1; n <= 20; n += 1) worker.source.progress(job, bytes(`{"n":${n}}`));
    await seen(service, id, ({ output }) => JSON.stringify(output) === '{"n":20}');
    worker.source.progress(job, bytes('"not worth a word any more"'));
    await worker.source.finish(job, completed("result"));
    worker.source.progress(job, bytes('"late"'));
    expect(await service.jobOf(id)).toMatchObject({ isDone: true, output: "result" });
  });

  test.each(["failed", "timed-out"] as const)("the failure of a %s job arrives", async (kind) => {
    await using service = await start();
    await using worker = TestWorker.start(service, 1);
    const id = await service.submit({});
    const type = kind === "failed" ? "handler_error" : "execution_timeout";
    const failure = { type, message: "the weights are not here" } as const;
    expect(await worker.source.finish(await worker.arrives(0), { kind, failure })).toEqual({
      accepted: true,
    });
    const job = await service.jobOf(id);
    expect([job.isDone, job.error]).toEqual([true, expect.stringContaining(failure.message)]);
  });

  test("the largest output arrives", async () => {
    await using service = await start();
    await using worker = TestWorker.start(service, 1);
    const id = await service.submit({});
    const output = "x".repeat(19_999_998);
    await worker.source.finish(await worker.arrives(0), completed(output));
    expect((await service.jobOf(id)).output).toHaveLength(output.length);
  });

  test("a cancelled job is revoked; its result is dropped, and the next job arrives", async () => {
    await using service = await start();
    await using worker = TestWorker.start(service, 1);
    const id = await service.submit({});
    const job = await worker.arrives(0);
    await service.cancel(id);
    await worker.until(() => worker.revocations.length === 1);
    expect(worker.revocations).toMatchObject([{ jobId: id, reason: "cancelled" }]);
    expect(await worker.source.finish(job, completed("late"))).toEqual({ accepted: false });
    worker.source.grant(1);
    const next = await service.submit({});
    expect((await worker.arrives(1)).jobId).toBe(next);
    expect((await service.jobOf(id)).output).toBeUndefined();
  });
}

function outlivesConnections(start: () => Promise<JobService>): void {
  test("reports made without a connection arrive after it is back, each exactly once", async () => {
    await using service = await start();
    await using worker = TestWorker.start(service, 1);
    const id = await service.submit({});
    const job = await worker.arrives(0);
    worker.source.chunks(job, line(0, "before"));
    await worker.until(() => worker.stored.length > 0);
    await service.cut();
    worker.source.chunks(job, line(1, "meanwhile"));
    const finished = worker.source.finish(job, completed("result"));
    await service.restore();
    expect(await finished).toEqual({ accepted: true });
    expect(await service.jobOf(id)).toMatchObject({
      isDone: true,
      output: "result",
      chunks: ["before", "meanwhile"],
    });
    expect(worker.jobs).toHaveLength(1);
  });

  test("credit survives the connection it was granted over", async () => {
    await using service = await start();
    await using worker = TestWorker.start(service, 1);
    await worker.welcomed;
    await service.cut();
    const id = await service.submit({});
    await service.restore();
    expect((await worker.arrives(0)).jobId).toBe(id);
  });

  test("a source may start before its service", async () => {
    await using service = await start();
    await service.cut();
    await using worker = TestWorker.start(service, 1);
    const id = await service.submit({});
    await service.restore();
    await worker.source.finish(await worker.arrives(0), completed(1));
    expect((await service.jobOf(id)).isDone).toBe(true);
  });

  test("while connections break and return, no job is lost and no job runs twice", async () => {
    await using service = await start();
    await using worker = TestWorker.start(service, 2);
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1) {
      ids.push(await service.submit({ n }));
      const job = await worker.arrives(n);
      const finished = worker.source.finish(job, completed(n));
      if (n % 4 === 1) await service.cut();
      worker.source.grant(1);
      if (n % 4 === 1) await service.restore();
      if (n % 3 === 0) await finished;
    }
    for (const [n, id] of ids.entries()) {
      expect((await seen(service, id, ({ isDone }) => isDone)).output).toBe(n);
    }
    expect(worker.jobs.map(({ jobId }) => jobId)).toEqual(ids);
  });
}

function leaves(start: () => Promise<JobService>): void {
  test("a draining worker gets no further job, and the results of its running jobs are accepted", async () => {
    await using service = await start();
    await using worker = TestWorker.start(service, 2);
    const id = await service.submit({});
    const job = await worker.arrives(0);
    worker.source.draining();
    await worker.source.finish(job, completed("last"));
    worker.source.grant(1);
    const next = await service.submit({});
    await using other = TestWorker.start(service, 1);
    expect((await other.arrives(0)).jobId).toBe(next);
    expect((await service.jobOf(id)).output).toBe("last");
    expect(worker.jobs).toHaveLength(1);
  });

  test("another worker does a job that a closing source hands back", async () => {
    await using service = await start();
    const worker = TestWorker.start(service, 1);
    const id = await service.submit({ n: 1 });
    const job = await worker.arrives(0);
    void worker.source.finish(job, { kind: "handed-back" });
    await worker.source.close();
    await service.giveUpSilentJobs();
    await using other = TestWorker.start(service, 1);
    const again = await other.arrives(0);
    expect([again.jobId, again.input]).toEqual([id, job.input]);
    await other.source.finish(again, completed("done"));
    expect(await service.jobOf(id)).toMatchObject({ isDone: true, output: "done" });
  });

  test("a close settles all waiting calls, and may be repeated", async () => {
    await using service = await start();
    const worker = TestWorker.start(service, 1);
    await service.submit({});
    const job = await worker.arrives(0);
    await service.cut();
    const finished = worker.source.finish(job, completed(1));
    await worker.source.close();
    await worker.source.close();
    expect(await finished).toEqual({ accepted: false });
    await service.restore();
  });
}
