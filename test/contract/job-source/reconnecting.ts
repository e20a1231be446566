/** The job source contract: state that is kept and sent again after a lost connection. */
import { expect, test } from "vitest";
import { PROTOCOL_VERSION, type ServiceOrders } from "../../../runtime/protocol/session.ts";
import { chunk, connect, job, lease, welcome } from "./connected.ts";
import type { ScriptedService } from "./scripted-service.ts";

export function reconnects(start: () => Promise<ScriptedService>): void {
  test("the source keeps its leases, and repeats only unconfirmed reports", async () => {
    await using service = await start();
    const jobs = [job(1), job(2), job(3)];
    const { worker, source, session } = await connect(service, jobs);
    for (const index of [0, 1, 2]) source.chunks(job(1), chunk(index, `chunk ${index}`));
    const unconfirmed = source.finish(job(2), { kind: "completed" });
    const confirmed = source.finish(job(3), { kind: "completed" });
    source.grant(2);
    await session.until(() => session.all("outcomes").length === 2 && session.credit === 5);
    session.send({
      outcomeReceipts: [{ ...lease(job(3)), accepted: true }],
      chunkReceipts: [{ ...lease(job(1)), nextIndex: 2 }],
    });
    await confirmed;
    await worker.until(() => worker.stored.length === 1);
    session.cut();

    const second = await service.nextSession();
    await second.until(() => second.all("outcomes").length === 1);
    expect(second.reports).toEqual([
      {
        hello: {
          protocolVersion: PROTOCOL_VERSION,
          runtimeVersion: "1.2.3",
          held: [lease(job(1)), lease(job(2))],
        },
        ready: { concurrency: 3 },
        chunks: [{ ...lease(job(1)), ...chunk(2, "chunk 2") }],
        outcomes: [{ ...lease(job(2)), outcome: { kind: "completed" } }],
        credit: 2,
      },
    ]);
    second.send({ welcome, outcomeReceipts: [{ ...lease(job(2)), accepted: true }] });
    expect(await unconfirmed).toEqual({ accepted: true });
    await source.close();
  });

  test("reports made during an outage are sent after it", async () => {
    await using service = await start();
    const { source } = await connect(service, [job(1)]);
    await service.stop();
    source.chunks(job(1), chunk(0, "a"));
    const finished = source.finish(job(1), { kind: "completed" });
    await service.restart();
    const session = await service.nextSession();
    session.send({ welcome });
    await session.until(() => session.all("outcomes").length === 1);
    expect(session.all("chunks")).toHaveLength(1);
    session.send({ outcomeReceipts: [{ ...lease(job(1)), accepted: true }] });
    expect(await finished).toEqual({ accepted: true });
    await source.close();
  });

  test("the handler's schemas are reported at once, and again to the next session", async () => {
    await using service = await start();
    const { source, session } = await connect(service, [job(1)]);
    const schemas = Buffer.from('{"input":{"type":"object"}}');
    source.describe(schemas);
    await session.until(() => session.reports.some((report) => report.schemas !== undefined));
    session.cut();
    const second = await service.nextSession();
    await second.until(() => second.reports.length > 0);
    expect(Buffer.from(second.reports[0]?.schemas ?? []).toString()).toBe(String(schemas));
    await source.close();
  });

  test("debugger pauses are reported at once, and the newest ones again to the next session", async () => {
    await using service = await start();
    const { source, session } = await connect(service, [job(1), job(2), job(3)]);
    const before = session.reports.length;
    const standing = { ...lease(job(1)), isPaused: true, pausedMs: 0 };
    const gone = { ...lease(job(2)), isPaused: false, pausedMs: 7_000 };
    source.paused({ ...gone, isPaused: true, pausedMs: 0 });
    source.paused(gone);
    source.paused(standing);
    await session.until(() => session.all("pauses").length === 2);
    expect(session.reports.slice(before)).toEqual([{ pauses: [gone, standing] }]);
    void source.finish(job(2), { kind: "completed" });
    source.paused({ ...gone, isPaused: true });
    await session.until(() => session.all("outcomes").length === 1);
    session.cut();

    const second = await service.nextSession();
    await second.until(() => second.all("outcomes").length === 1);
    expect(second.all("pauses")).toEqual([standing]);
    await source.close();
  });

  test("a draining worker reports this again to the next session, and asks for no jobs", async () => {
    await using service = await start();
    const { source, session } = await connect(service, [job(1)]);
    source.grant(5);
    source.draining();
    source.grant(1);
    await session.until(() => session.reports.some((report) => report.draining === true));
    expect(session.credit).toBe(1);
    session.cut();
    const second = await service.nextSession();
    await second.until(() => second.reports.length > 0);
    expect(second.reports[0]).toMatchObject({ draining: true });
    expect(second.credit).toBe(0);
    await source.close();
  });
}

/** Only where orders are encoded; within a process they are passed as objects. */
export function decodes(start: () => Promise<ScriptedService>): void {
  test("invalid orders end the session, and the next one begins", async () => {
    await using service = await start();
    const { worker, source, session } = await connect(service);
    const nonsense: ServiceOrders = { jobs: [{ ...job(1), attempt: 0 }] };
    session.send(nonsense);
    const second = await service.nextSession();
    second.send({ welcome, jobs: [job(2)] });
    await worker.until(() => worker.jobs.length > 0);
    expect(worker.jobs).toEqual([job(2)]);
    await source.close();
  });
}
