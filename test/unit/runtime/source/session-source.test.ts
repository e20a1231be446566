/** Messages of a worker that an order of the service makes void before they are sent. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ServiceOrders, WorkerReport } from "../../../../runtime/protocol/session.ts";
import type { SessionEvents } from "../../../../runtime/source/session.ts";
import { SessionSource } from "../../../../runtime/source/session-source.ts";
import {
  bytes,
  chunk,
  Connected,
  job,
  lease,
  welcome,
} from "../../../contract/job-source/connected.ts";

/** A source with a welcome and a job, its session's events, and the messages sent since. */
async function scene() {
  const opened = Promise.withResolvers<SessionEvents>();
  const sent: WorkerReport[] = [];
  const source = new SessionSource({
    runtimeVersion: "1.2.3",
    openSession: (events) => {
      opened.resolve(events);
      const send = (report: WorkerReport) => void sent.push(report);
      return {
        isWritable: true,
        isSending: false,
        confirmed: 0,
        send,
        close: async () => undefined,
      };
    },
  });
  const worker = new Connected(source);
  const events = await opened.promise;
  const orders = (given: ServiceOrders) => events.orders(given);
  source.grant(1);
  orders({ welcome, jobs: [job(1)] });
  await turn();
  sent.length = 0;
  return { worker, source, orders, sent };
}

test("the outcome of a revoked job is not sent", async () => {
  const { source, orders, sent } = await scene();
  const finished = source.finish(job(1), { kind: "completed", output: bytes("7") });
  orders({ revocations: [{ ...lease(job(1)), reason: "cancelled" }] });
  expect(await finished).toEqual({ accepted: false });
  await turn();
  expect(sent).toEqual([]);
  await source.close();
});

test("a job without an input has the one that came ahead of it, in the same session only", async () => {
  const { worker, source, orders, sent } = await scene();
  const ahead = (n: number) => ({ ...job(n), input: bytes(""), inputIsAhead: true });
  orders({ inputAhead: { jobId: job(2).jobId, input: bytes("22") } });
  orders({ jobs: [ahead(2)] });
  expect(worker.jobs.at(-1)).toMatchObject({ jobId: job(2).jobId, input: bytes("22") });
  orders({ jobs: [ahead(3)] });
  expect(worker.jobs).toHaveLength(2);
  await turn();
  const outcome = { ...lease(job(3)), outcome: { kind: "handed-back" } };
  expect(sent).toEqual([{ outcomes: [outcome], credit: 1 }]);
  await source.close();
});

test("a job whose hand-over is taken back is reported as stopped once it has stopped", async () => {
  const { worker, source, orders, sent } = await scene();
  const revocation = { ...lease(job(1)), reason: "taken-back" } as const;
  orders({ revocations: [revocation] });
  expect(worker.revocations).toEqual([revocation]);
  await turn();
  expect(sent).toEqual([]);
  const finished = source.finish(job(1), { kind: "stopped" });
  await turn();
  const outcome = { ...lease(job(1)), outcome: { kind: "stopped" } };
  expect(sent).toEqual([{ outcomes: [outcome] }]);
  orders({ outcomeReceipts: [{ ...lease(job(1)), accepted: false }] });
  expect(await finished).toEqual({ accepted: false });
  await source.close();
});

test("an outcome that came before its hand-over is taken back is sent", async () => {
  const { worker, source, orders, sent } = await scene();
  const finished = source.finish(job(1), { kind: "completed", output: bytes("7") });
  orders({ revocations: [{ ...lease(job(1)), reason: "taken-back" }] });
  expect(worker.revocations).toEqual([]);
  await turn();
  expect(sent).toMatchObject([{ outcomes: [lease(job(1))] }]);
  orders({ outcomeReceipts: [{ ...lease(job(1)), accepted: false }] });
  expect(await finished).toEqual({ accepted: false });
  await source.close();
});

test("chunks of a job whose hand-over is taken back keep its outcome waiting no longer", async () => {
  const { source, orders, sent } = await scene();
  // Two bundles have no receipt, and never get one.
  for (const index of [0, 1, 2]) {
    source.chunks(job(1), chunk(index, "a"));
    await turn();
  }
  expect(sent).toHaveLength(2);
  orders({ revocations: [{ ...lease(job(1)), reason: "taken-back" }] });
  source.chunks(job(1), chunk(3, "a"));
  void source.finish(job(1), { kind: "stopped" });
  await turn();
  const outcome = { ...lease(job(1)), outcome: { kind: "stopped" } };
  expect(sent.slice(2)).toEqual([{ outcomes: [outcome] }]);
  await source.close();
});

test("credit for the previous version is not granted", async () => {
  const { source, orders, sent } = await scene();
  source.grant(3);
  orders({ reload: { version: 7, modulePath: "/made/7.mjs", sourcePath: "/handler.ts" } });
  source.ready(2, 7);
  source.grant(2);
  await turn();
  expect(sent).toEqual([{ ready: { concurrency: 2, reloadVersion: 7 }, credit: 2 }]);
  await source.close();
});
