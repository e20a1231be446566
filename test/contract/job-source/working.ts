/** The job source contract: jobs, chunks, progress, outcomes, leases. */
import { expect, test } from "vitest";
import { bytes, chunk, connect, job, lease } from "./connected.ts";
import type { ScriptedService } from "./scripted-service.ts";

export function works(start: () => Promise<ScriptedService>): void {
  test("a job arrives unchanged", async () => {
    await using service = await start();
    const sent = { ...job(1), s3Config: bytes(`{"bucketName":"b"}`) };
    const { worker, source } = await connect(service, [sent]);
    expect(worker.jobs).toEqual([sent]);
    await source.close();
  });

  test.each([true, false])(
    "the outcome of a job is reported, and its receipt (%s) passed on",
    async (accepted) => {
      await using service = await start();
      const { source, session } = await connect(service, [job(1)]);
      const finished = source.finish(job(1), { kind: "completed", output: bytes("7") });
      await session.until(() => session.all("outcomes").length === 1);
      expect(session.all("outcomes")).toEqual([
        { ...lease(job(1)), outcome: { kind: "completed", output: bytes("7") } },
      ]);
      session.send({ outcomeReceipts: [{ ...lease(job(1)), accepted }] });
      expect(await finished).toEqual({ accepted });
      await source.close();
    },
  );

  test("all reports of one turn are sent as one bundle, chunks before the outcome", async () => {
    await using service = await start();
    const { source, session } = await connect(service, [job(1), job(2)]);
    const before = session.reports.length;
    source.chunks(job(1), chunk(0, "a"));
    source.chunks(job(2), chunk(0, "b"));
    source.progress(job(2), bytes("1"));
    source.progress(job(2), bytes("2"));
    source.chunks(job(1), chunk(1, "c"));
    source.progress(job(1), bytes("3"));
    void source.finish(job(1), { kind: "completed" });
    source.grant(1);
    await session.until(() => session.all("outcomes").length === 1);
    expect(session.reports.slice(before)).toEqual([
      {
        chunks: [
          { ...lease(job(1)), ...chunk(0, "a") },
          { ...lease(job(2)), ...chunk(0, "b") },
          { ...lease(job(1)), ...chunk(1, "c") },
        ],
        progress: [{ ...lease(job(2)), value: bytes("2") }],
        outcomes: [{ ...lease(job(1)), outcome: { kind: "completed" } }],
        credit: 1,
      },
    ]);
    await source.close();
  });

  test("large payloads are spread over bundles in order, and the largest output arrives", async () => {
    await using service = await start();
    const { source, session } = await connect(service, [job(1)]);
    for (let index = 0; index < 10; index++) {
      source.chunks(job(1), chunk(index, "x".repeat(900_000)));
    }
    const output = Buffer.alloc(20_000_000, "1");
    void source.finish(job(1), { kind: "completed", output });
    await session.until(() => session.all("chunks").length === 8);
    session.send({ chunkReceipts: [{ ...lease(job(1)), nextIndex: 8 }] });
    await session.until(() => session.all("outcomes").length === 1);
    const indexes = session.all("chunks").map(({ firstIndex }) => firstIndex);
    expect(indexes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const { chunks = [] } of session.reports) expect(chunks.length).toBeLessThanOrEqual(4);
    const [report] = session.all("outcomes");
    expect(report?.outcome).toHaveProperty("output.length", 20_000_000);
    await source.close();
  });

  test("a job's chunks wait while two of its bundles are not stored, then are sent together; other jobs do not wait", async () => {
    await using service = await start();
    const { source, session } = await connect(service, [job(1), job(2)]);
    for (const index of [0, 1]) {
      source.chunks(job(1), chunk(index, "on its way"));
      await session.until(() => session.all("chunks").length === index + 1);
    }
    const before = session.reports.length;
    for (const index of [2, 3]) source.chunks(job(1), chunk(index, "waits"));
    void source.finish(job(1), { kind: "completed" });
    source.chunks(job(2), chunk(0, "of another"));
    void source.finish(job(2), { kind: "completed" });
    await session.until(() => session.all("outcomes").length === 1);
    session.send({ chunkReceipts: [{ ...lease(job(1)), nextIndex: 1 }] });
    await session.until(() => session.all("outcomes").length === 2);
    expect(session.reports.slice(before)).toEqual([
      {
        chunks: [{ ...lease(job(2)), ...chunk(0, "of another") }],
        outcomes: [{ ...lease(job(2)), outcome: { kind: "completed" } }],
      },
      {
        chunks: [2, 3].map((index) => ({ ...lease(job(1)), ...chunk(index, "waits") })),
        outcomes: [{ ...lease(job(1)), outcome: { kind: "completed" } }],
      },
    ]);
    await source.close();
  });

  test("no report is sent for a job after its outcome, or for a job that is not held", async () => {
    await using service = await start();
    const { source, session } = await connect(service, [job(1), job(2)]);
    void source.finish(job(1), { kind: "completed" });
    source.chunks(job(1), chunk(0, "late"));
    source.progress(job(1), bytes("late"));
    source.chunks(job(3), chunk(0, "whose?"));
    expect(await source.finish(job(1), { kind: "stopped" })).toEqual({ accepted: false });
    void source.finish(job(2), { kind: "completed" });
    await session.until(() => session.all("outcomes").length === 2);
    expect([session.all("chunks"), session.all("progress")]).toEqual([[], []]);
    await source.close();
  });

  test("leases are renewed while they are held", async () => {
    await using service = await start();
    const { source, session } = await connect(service, [job(1), job(2)], { leaseRenewalMs: 5 });
    await session.until(() => session.all("renewals").length >= 4);
    expect(session.all("renewals").slice(0, 2)).toEqual([lease(job(1)), lease(job(2))]);
    session.send({ revocations: [{ ...lease(job(1)), reason: "cancelled" }] });
    await session.until(() => session.reports.at(-1)?.renewals?.length === 1);
    expect(session.reports.at(-1)?.renewals).toEqual([lease(job(2))]);
    await source.close();
  });

  test("a worker that holds no lease still sends a sign of life", async () => {
    await using service = await start();
    const { source, session } = await connect(service, [], { leaseRenewalMs: 5 });
    const before = session.reports.length;
    await session.until(() => session.reports.length >= before + 3);
    expect(session.reports.slice(before)).toEqual([{}, {}, {}]);
    await source.close();
  });

  test("the worker learns of a revocation, and the job's later outcome is dropped", async () => {
    await using service = await start();
    const { worker, source, session } = await connect(service, [job(1), job(2)]);
    session.send({ revocations: [{ ...lease(job(1)), reason: "expired" }] });
    await worker.until(() => worker.revocations.length === 1);
    expect(worker.revocations).toEqual([{ ...lease(job(1)), reason: "expired" }]);
    expect(await source.finish(job(1), { kind: "completed" })).toEqual({ accepted: false });
    void source.finish(job(2), { kind: "completed" });
    await session.until(() => session.all("outcomes").length > 0);
    expect(session.all("outcomes")).toMatchObject([{ jobId: "job-2" }]);
    await source.close();
  });

  test("a revocation of a job that has reported its outcome settles the outcome only", async () => {
    await using service = await start();
    const { worker, source, session } = await connect(service, [job(1), job(2)]);
    const finished = source.finish(job(1), { kind: "completed" });
    await session.until(() => session.all("outcomes").length === 1);
    session.send({ revocations: [{ ...lease(job(1)), reason: "cancelled" }], drain: true });
    expect(await finished).toEqual({ accepted: false });
    await worker.until(() => worker.drains === 1);
    expect(worker.revocations).toEqual([]);
    await source.close();
  });

  test("a job that is revoked in its own bundle is passed on first as handed over, then as revoked", async () => {
    await using service = await start();
    const { worker, source, session } = await connect(service);
    session.send({ jobs: [job(1)], revocations: [{ ...lease(job(1)), reason: "cancelled" }] });
    await worker.until(() => worker.revocations.length === 1);
    expect(worker.jobs).toEqual([job(1)]);
    await source.close();
  });

  test("receipts for chunks are passed on", async () => {
    await using service = await start();
    const { worker, source, session } = await connect(service, [job(1)]);
    source.chunks(job(1), chunk(0, "a"));
    await session.until(() => session.all("chunks").length === 1);
    session.send({ chunkReceipts: [{ ...lease(job(1)), nextIndex: 1 }] });
    await worker.until(() => worker.stored.length === 1);
    expect(worker.stored).toEqual([{ jobId: "job-1", nextIndex: 1 }]);
    await source.close();
  });

  test("the worker learns of a new version to load, and earlier credit becomes void", async () => {
    await using service = await start();
    const { worker, source, session } = await connect(service);
    source.ready(3);
    source.grant(3);
    await session.until(() => session.credit === 3);
    const reload = { version: 7, modulePath: "/made/7.mjs", sourcePath: "/handler.ts" };
    session.send({ reload });
    await worker.until(() => worker.reloads.length === 1);
    expect(worker.reloads).toEqual([reload]);
    source.ready(2, 7);
    source.grant(2);
    await session.until(() => session.credit === 5);
    session.cut();
    const second = await service.nextSession();
    await second.until(() => second.credit > 0);
    expect(second.reports).toMatchObject([
      { ready: { concurrency: 2, reloadVersion: 7 }, credit: 2 },
    ]);
    await source.close();
  });
}
