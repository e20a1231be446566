/** Times of webhook calls, successful answers, and one delivery for every end of a job. */
import { describe, expect, it } from "vitest";
import { cancel } from "../../../emulator/engine/jobs/cancel.ts";
import { deleteEndpoint } from "../../../emulator/engine/resources/endpoints/manage-endpoints.ts";
import { purgeQueue } from "../../../emulator/engine/jobs/purge-queue.ts";
import { retry } from "../../../emulator/engine/jobs/retry.ts";
import { createTestEngine } from "../engine-harness.ts";
import { ScriptedSender } from "../scripted-sender.ts";
import { completeHooked, deliveriesOf, HOOK, STORES, submitHooked } from "./hooked-jobs.ts";

const parsed = (text: string | undefined): unknown => JSON.parse(text ?? "null");

describe.each(STORES)("on the %s store", (_name, open) => {
  it("a failing webhook is called at 0, 10 and 20 s exactly, and never a fourth time", async () => {
    await using stored = await open();
    const sender = ScriptedSender.answering(500, "no answer", 302);
    await using test = await createTestEngine(stored.store, undefined, { webhookSender: sender });
    const { clock } = test;
    const worker = await test.connectWorker("echo", { credit: 0 });
    const startedAt = clock.now();
    const { jobId } = await completeHooked(test, worker, { output: { a: 1 } });
    expect(sender.calls).toHaveLength(1);
    await clock.advance(9_999);
    expect(sender.calls).toHaveLength(1);
    await clock.advance(1);
    expect(sender.calls).toHaveLength(2);
    await clock.advance(9_999);
    expect(sender.calls).toHaveLength(2);
    await clock.advance(1);
    expect(sender.calls).toHaveLength(3);
    await clock.advance(3_600_000);
    expect(sender.calls).toHaveLength(3);
    const [delivery] = await deliveriesOf(test);
    expect(delivery).toMatchObject({ jobId, endpointId: "echo", url: HOOK, state: "failed" });
    expect(delivery?.tries).toEqual([
      { at: startedAt, durationMs: 5, status: 500 },
      { at: startedAt + 10_000, durationMs: 5, error: "no answer" },
      { at: startedAt + 20_000, durationMs: 5, status: 302 },
    ]);
    expect(new Set(sender.calls.map(({ id }) => id))).toEqual(new Set([delivery?.id]));
    expect(new Set(sender.calls.map(({ text }) => text)).size).toBe(1);
    expect(test.logged.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it("every end of a job is delivered with all known facts, and a retried job's next end again", async () => {
    await using stored = await open();
    const sender = new ScriptedSender();
    await using test = await createTestEngine(stored.store, undefined, { webhookSender: sender });
    const worker = await test.connectWorker("echo", { credit: 0 });
    const input = '{"n":  1.0}';
    await completeHooked(test, worker, { input, output: [1, "ü"] });
    expect(parsed(sender.calls[0]?.text)).toMatchObject({
      status: "COMPLETED",
      output: [1, "ü"],
      input: { n: 1 },
      webhook: HOOK,
      delayTime: 0,
      executionTime: 0,
      workerId: worker.worker.id,
    });
    expect(sender.calls[0]?.text).toContain(input);

    await worker.grant();
    const failing = await submitHooked(test);
    await worker.fail(await worker.nextJob(), { message: "broken" });
    await test.clock.settle();
    expect(parsed(sender.calls[1]?.text)).toMatchObject({ status: "FAILED", error: "broken" });
    await retry(test.engine, failing);
    await worker.grant();
    await worker.complete(await worker.nextJob(), "at last");
    await test.clock.settle();
    expect(parsed(sender.calls[2]?.text)).toMatchObject({
      id: failing.jobId,
      status: "COMPLETED",
      output: "at last",
      retries: 1,
    });
    expect(sender.calls[2]?.id).not.toBe(sender.calls[1]?.id);

    await cancel(test.engine, await submitHooked(test));
    await test.clock.settle();
    expect(parsed(sender.calls[3]?.text)).toMatchObject({ status: "CANCELLED", input: {} });

    await worker.grant();
    await submitHooked(test);
    const failure = { type: "execution_timeout", message: "too long" } as const;
    await worker.finish(await worker.nextJob(), { kind: "timed-out", failure });
    await test.clock.settle();
    expect(parsed(sender.calls[4]?.text)).toMatchObject({ status: "TIMED_OUT", error: "too long" });

    await submitHooked(test);
    await deleteEndpoint(test.engine, "echo");
    await test.clock.settle();
    expect(parsed(sender.calls[5]?.text)).toMatchObject({ status: "CANCELLED" });
    expect(sender.calls).toHaveLength(6);
  });

  it("a job that is purged, expires or has no webhook is not delivered", async () => {
    await using stored = await open();
    const sender = new ScriptedSender();
    await using test = await createTestEngine(stored.store, undefined, { webhookSender: sender });
    await submitHooked(test);
    await purgeQueue(test.engine, "echo");
    const { jobId } = await submitHooked(test, { ttlMs: 10_000 });
    await test.clock.advance(10_000);
    expect(await test.job(jobId)).toBeUndefined();
    const worker = await test.connectWorker("echo", { credit: 0 });
    await completeHooked(test, worker, { webhook: "" });
    expect(sender.calls).toHaveLength(0);
    expect(await deliveriesOf(test)).toHaveLength(0);
  });

  it("the deliveries of a job are made in order: a later one waits until the earlier is settled", async () => {
    await using stored = await open();
    const sender = ScriptedSender.answering(500, 500, 500, 200);
    await using test = await createTestEngine(stored.store, undefined, { webhookSender: sender });
    const worker = await test.connectWorker("echo", { credit: 0 });
    await worker.grant();
    const job = await submitHooked(test);
    await worker.fail(await worker.nextJob());
    await test.clock.advance(5_000);
    await retry(test.engine, job);
    await worker.grant();
    await worker.complete(await worker.nextJob());
    await test.clock.settle();
    const statuses = () =>
      sender.calls
        .map(({ text }) => parsed(text))
        .map((body) => (body as { status: string }).status);
    expect(statuses()).toEqual(["FAILED"]);
    const [waiting] = await deliveriesOf(test);
    expect(waiting).toMatchObject({ state: "pending", nextTryAt: undefined });
    await test.clock.advance(15_000);
    expect(statuses()).toEqual(["FAILED", "FAILED", "FAILED", "COMPLETED"]);
    expect((await deliveriesOf(test)).map(({ state }) => state)).toEqual(["delivered", "failed"]);
  });
});
