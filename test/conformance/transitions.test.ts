/** The interface's table of states: each event of a job, and its outcome. */
import { expect } from "vitest";
import { startTestHttp, type TestHttp } from "../unit/http/http-harness.ts";
import { show, submit, submitRunning, type RunningJob } from "./calls.ts";
import { rule } from "./rule.ts";

rule("POST /run: none → IN_QUEUE, answered at once with the id", async () => {
  await using service = await startTestHttp();
  const { json, status } = await service.call("POST", "/v2/echo/run", { body: { input: {} } });
  expect({ json, status }).toMatchObject({ status: 200, json: { status: "IN_QUEUE" } });
  const { id } = json as { id: string };
  expect(await show(service, id)).toStrictEqual({ id, status: "IN_QUEUE" });
});

rule("POST /cancel of a queued job: IN_QUEUE → CANCELLED, and it never starts", async () => {
  await using service = await startTestHttp();
  const id = await submit(service);
  const { json } = await service.call("POST", `/v2/echo/cancel/${id}`);
  expect(json).toStrictEqual({ id, status: "CANCELLED" });
  const next = await submitRunning(service);
  expect(next.job.jobId).not.toBe(id);
  expect(await show(service, id)).toMatchObject({ status: "CANCELLED" });
});

rule(
  "POST /cancel of a running job: IN_PROGRESS → CANCELLED, and execution is stopped",
  async () => {
    await using service = await startTestHttp();
    const { id, job, worker } = await submitRunning(service);
    const { json } = await service.call("POST", `/v2/echo/cancel/${id}`);
    expect(json).toStrictEqual({ id, status: "CANCELLED" });
    const revoked = worker.orders.flatMap(({ revocations = [] }) => revocations);
    const { leaseToken } = job;
    expect(revoked).toStrictEqual([{ jobId: id, leaseToken, reason: "cancelled" }]);
    await worker.complete(job, "too late");
    expect(await show(service, id)).toMatchObject({ status: "CANCELLED" });
    expect(await show(service, id)).not.toHaveProperty("output");
  },
);

/** Retries the ended job, which must run again with its id and input, and without its first end. */
async function runsAgain(service: TestHttp, { id, job, worker }: RunningJob): Promise<void> {
  const { json } = await service.call("POST", `/v2/echo/retry/${id}`);
  expect(json).toStrictEqual({ id, status: "IN_QUEUE" });
  const waiting = await show(service, id);
  expect(waiting).toMatchObject({ id, status: "IN_QUEUE" });
  expect(waiting).not.toHaveProperty("output");
  expect(waiting).not.toHaveProperty("error");
  await worker.grant();
  const again = await worker.nextJob();
  expect(again).toMatchObject({ jobId: id, attempt: 2 });
  expect(Buffer.from(again.input).toString()).toBe(Buffer.from(job.input).toString());
  await worker.complete(again, "second");
  const shown = await show(service, id);
  expect(shown).toMatchObject({ status: "COMPLETED", output: "second", retries: 1 });
}

rule(
  "POST /retry of a FAILED job: → IN_QUEUE with the same id and input, its output removed",
  async () => {
    await using service = await startTestHttp();
    const running = await submitRunning(service, {
      input: { n: 12345678901234567890n.toString() },
    });
    await running.worker.progress(running.job, "half");
    await running.worker.fail(running.job);
    expect(await show(service, running.id)).toMatchObject({ status: "FAILED" });
    await runsAgain(service, running);
  },
);

rule(
  "POST /retry of a TIMED_OUT job: → IN_QUEUE with the same id and input, its output removed",
  async () => {
    await using service = await startTestHttp();
    const running = await submitRunning(service, { input: { text: "é" } });
    await running.worker.finish(running.job, {
      kind: "timed-out",
      failure: { type: "execution_timeout", message: "it ran too long" },
    });
    expect(await show(service, running.id)).toMatchObject({ status: "TIMED_OUT" });
    await runsAgain(service, running);
  },
);

rule("TTL expiry: a job in any status is deleted, also while it runs", async () => {
  await using service = await startTestHttp();
  const policy = { ttl: 60_000 };
  const failed = await submitRunning(service, { policy });
  await failed.worker.fail(failed.job);
  const running = await submitRunning(service, { policy });
  const waiting = await submit(service, { policy });
  const ids = [failed.id, running.id, waiting];
  const statuses = async () => Promise.all(ids.map(async (id) => (await show(service, id)).status));
  await service.test.clock.advance(14_000);
  expect(await statuses()).toEqual(["FAILED", "IN_PROGRESS", "IN_QUEUE"]);
  for (let renewed = 14_000; renewed < 59_000; renewed += 9_000) {
    await running.worker.report({ renewals: [running.job] });
    await service.test.clock.advance(9_000);
  }
  await service.test.clock.advance(1_000);
  expect(await statuses()).toEqual([404, 404, 404]);
  const revoked = running.worker.orders.flatMap(({ revocations = [] }) => revocations);
  expect(revoked).toMatchObject([{ jobId: running.id }]);
});

rule("result retention: a job is deleted after it and can be retried no more", async () => {
  await using service = await startTestHttp();
  const { id, job, worker } = await submitRunning(service);
  await worker.fail(job);
  await service.test.clock.advance(30 * 60_000);
  expect(await show(service, id)).toMatchObject({ status: 404 });
  const retried = await service.call("POST", `/v2/echo/retry/${id}`);
  expect(retried).toMatchObject({ status: 404, json: { code: "job_not_found" } });
});

rule("POST /purge-queue: waiting jobs are removed, running ones are unaffected", async () => {
  await using service = await startTestHttp();
  const running = await submitRunning(service);
  const waiting = [await submit(service), await submit(service)];
  await service.call("POST", "/v2/echo/purge-queue");
  for (const id of waiting) expect(await show(service, id)).toMatchObject({ status: 404 });
  expect(await show(service, running.id)).toMatchObject({ status: "IN_PROGRESS" });
  await running.worker.complete(running.job, "done");
  expect(await show(service, running.id)).toMatchObject({ status: "COMPLETED", output: "done" });
});
