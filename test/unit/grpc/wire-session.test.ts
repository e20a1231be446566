/** Each durable batch is sent to a worker as one message. The message is sent before the batch's callers get answers. */
import { EventEmitter } from "node:events";
import { expect, it, onTestFinished, vi } from "vitest";
import { submit, submitAndWait } from "../../../emulator/engine/jobs/submit.ts";
import { WorkerHandle } from "../../../emulator/engine/workers/worker-handle.ts";
import { WorkerSession } from "../../../emulator/engine/workers/session/worker-session.ts";
import { WireSession, type WorkerCall } from "../../../emulator/grpc/wire-session.ts";
import type { ServiceOrders, WorkerReport } from "../../../runtime/protocol/session.ts";
import {
  decodeOrders,
  encodeReport,
  readServiceMessage,
  writeWorkerMessage,
} from "../../../runtime/protocol/wire/worker-wire.ts";
import { createTestEngine, type TestEngine } from "../engine-harness.ts";

/** A call with messages that a test reads; it accepts at most `room` of them at a time. */
class RecordedCall extends EventEmitter {
  room = Number.POSITIVE_INFINITY;
  readonly #written: (orders: ServiceOrders) => void;

  constructor(written: (orders: ServiceOrders) => void) {
    super();
    this.#written = written;
  }

  write(bytes: Buffer): boolean {
    this.#written(decodeOrders(readServiceMessage(bytes)));
    this.room -= 1;
    return this.room > 0;
  }

  report(report: WorkerReport): void {
    this.emit("data", Buffer.concat(writeWorkerMessage(encodeReport(report))));
  }

  readonly pause = () => undefined;
  readonly resume = () => undefined;
  readonly end = () => undefined;
}

/** A worker with credit for `credit` jobs; `told` has the messages to it and to other callers, in order. */
async function connected(test: TestEngine, credit: number, receiptsWaitMs = 0) {
  const { engine } = test;
  const told: (ServiceOrders | string)[] = [];
  const worker = new WorkerHandle({
    id: "w",
    endpointId: "echo",
    endpointVersion: 1,
    startedAt: 0,
    realClock: engine.realClock,
  });
  engine.fleet.add(worker);
  const call = new RecordedCall((orders) => told.push(orders));
  const session = new WireSession({
    call: call as unknown as WorkerCall,
    open: (send) => new WorkerSession(engine, worker, send),
    log: engine.log,
    receiptsWaitMs,
  });
  const hello = { protocolVersion: 1, runtimeVersion: "0.0.0-test", held: [] };
  call.report({ hello, ready: { concurrency: credit }, credit });
  await test.clock.settle();
  return { call, told, session };
}

const request = (value: string) =>
  ({
    endpointId: "echo",
    kind: "async",
    submission: { input: Buffer.from(value), policy: { lowPriority: false, ttlMs: 60_000 } },
  }) as const;

it("a job is sent to its worker before its submission is answered", async () => {
  await using test = await createTestEngine();
  const { told } = await connected(test, 1);
  told.length = 0;
  await submit(test.engine, request("1")).then(() => told.push("answered"));
  expect(told).toMatchObject([{ jobs: [{ attempt: 1 }] }, "answered"]);
});

it("hand-overs, revocations and receipts of one batch are one message, before any answer of that batch", async () => {
  await using test = await createTestEngine();
  const { call, told } = await connected(test, 1);
  const signal = new AbortController().signal;
  const first = submitAndWait(test.engine, request("1"), 60_000, signal);
  await test.clock.settle();
  const [lease] = (told.at(-1) as ServiceOrders).jobs ?? [];
  if (lease === undefined) throw new Error("no job was handed over");
  const { jobId, leaseToken } = lease;
  const second = submit(test.engine, request("2"));
  await test.clock.settle();
  told.length = 0;
  void first.then(() => told.push("answered"));
  const lines = Buffer.from('{"output":1}\n');
  call.report({
    chunks: [{ jobId, leaseToken, firstIndex: 0, count: 1, lines }],
    outcomes: [{ jobId, leaseToken, outcome: { kind: "completed" } }],
    renewals: [{ jobId: "gone", leaseToken: "gone" }],
    credit: 1,
  });
  await first;
  const { id } = await second;
  expect(told).toMatchObject([
    {
      jobs: [{ jobId: id }],
      chunkReceipts: [{ jobId, nextIndex: 1 }],
      outcomeReceipts: [{ jobId, accepted: true }],
      revocations: [{ jobId: "gone", reason: "lease-lost" }],
    },
    "answered",
  ]);
});

it("the reports of one turn are acknowledged in one message", async () => {
  await using test = await createTestEngine();
  const { call, told } = await connected(test, 2);
  await Promise.all([submit(test.engine, request("1")), submit(test.engine, request("2"))]);
  const jobs = told.flatMap((orders) => (typeof orders === "string" ? [] : (orders.jobs ?? [])));
  told.length = 0;
  for (const { jobId, leaseToken } of jobs)
    call.report({ outcomes: [{ jobId, leaseToken, outcome: { kind: "completed" } }] });
  await test.clock.settle();
  expect(told.length).toBe(1);
  expect(told[0]).toMatchObject({ outcomeReceipts: jobs.map(({ jobId }) => ({ jobId })) });
});

it("orders that arrive under backpressure are sent as one message after drain", async () => {
  await using test = await createTestEngine();
  const { call, told } = await connected(test, 3);
  told.length = 0;
  call.room = 1;
  await submit(test.engine, request("1"));
  await submit(test.engine, request("2"));
  await submit(test.engine, request("3"));
  expect(told.length).toBe(1);
  call.room = 9;
  call.emit("drain");
  call.emit("drain");
  call.report({ credit: 1 });
  await submit(test.engine, request("4"));
  const jobs = told.map((orders) => (typeof orders === "string" ? 0 : orders.jobs?.length));
  expect(jobs).toEqual([1, 2, 1]);
});

it("no outcome is taken behind a message that cannot be read", async () => {
  await using test = await createTestEngine();
  const { call, told } = await connected(test, 1);
  const { id } = await submit(test.engine, request("1"));
  const [lease] = (told.at(-1) as ServiceOrders).jobs ?? [];
  if (lease === undefined) throw new Error("no job was handed over");
  const { jobId, leaseToken } = lease;
  call.on("error", () => undefined);
  const chunks = [{ jobId, leaseToken, firstIndex: 0, count: 0, lines: Buffer.from("{}\n") }];
  call.report({ chunks });
  call.report({ outcomes: [{ jobId, leaseToken, outcome: { kind: "completed" } }] });
  await test.clock.settle();
  const job = await test.job(id);
  expect(job?.status).toBe("IN_PROGRESS");
});

it("receipts of outcomes alone wait for the next order, or for their time", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  await using test = await createTestEngine();
  const { call, told } = await connected(test, 1, 50);
  const ended = async () => {
    const [lease] = (told.at(-1) as ServiceOrders).jobs ?? [];
    if (lease === undefined) throw new Error("no job was handed over");
    const { jobId, leaseToken } = lease;
    told.length = 0;
    call.report({ outcomes: [{ jobId, leaseToken, outcome: { kind: "completed" } }] });
    await test.clock.settle();
    expect(told).toEqual([]);
    return { outcomeReceipts: [{ jobId, accepted: true }] };
  };
  await submit(test.engine, request("1"));
  const first = await ended();
  call.report({ credit: 1 });
  await submit(test.engine, request("2"));
  expect(told).toMatchObject([{ ...first, jobs: [{ attempt: 1 }] }]);
  const second = await ended();
  vi.advanceTimersByTime(50);
  await test.clock.settle();
  expect(told).toMatchObject([second]);
});
