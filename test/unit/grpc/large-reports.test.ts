/** Large outcomes of many workers at once: memory for them is bounded, and no job suffers from the wait. */
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { submit } from "../../../emulator/engine/jobs/submit.ts";
import { WorkerHandle } from "../../../emulator/engine/workers/worker-handle.ts";
import { WorkerSession } from "../../../emulator/engine/workers/session/worker-session.ts";
import { WireSession, type WorkerCall } from "../../../emulator/grpc/wire-session.ts";
import { createMemoryStore } from "../../../emulator/store/memory/memory-store.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { HandedJob } from "../../../runtime/protocol/outcome.ts";
import { PROTOCOL_VERSION, type WorkerReport } from "../../../runtime/protocol/session.ts";
import {
  decodeOrders,
  encodeReport,
  MessageLink,
  PiecesInMemory,
  type ServiceMessage,
  readServiceMessage,
  writeWorkerMessage,
} from "../../../runtime/protocol/wire/worker-wire.ts";
import { createTestEngine, type TestEngine } from "../engine-harness.ts";
import { storeWith } from "../engine/store-with.ts";

const WORKERS = 8;
const OUTPUT = Buffer.from(JSON.stringify("0123456789".repeat(200_000)));
const NEVER = new AbortController().signal;

/** A worker at the other end of a call. */
class Peer extends EventEmitter {
  readonly jobs: HandedJob[] = [];
  readonly #link = new MessageLink<ServiceMessage, PiecesInMemory>({
    write: (parts) =>
      this.emit("data", Buffer.concat(writeWorkerMessage({ ...encodeReport({}), ...parts }))),
    spaceFor: (sizeBytes) => new PiecesInMemory(sizeBytes),
    allSent: () => undefined,
  });

  write(bytes: Buffer): boolean {
    const taken = this.#link.receive(readServiceMessage(bytes));
    if (taken?.message) this.jobs.push(...(decodeOrders(taken.message).jobs ?? []));
    return true;
  }

  get isSending(): boolean {
    return this.#link.isSending;
  }

  report(report: WorkerReport): void {
    this.emit("data", Buffer.concat(writeWorkerMessage(encodeReport(report))));
  }

  reportInPieces(report: WorkerReport): void {
    this.#link.send(writeWorkerMessage(encodeReport(report)));
  }

  finishAll(): void {
    const outcomes = this.jobs.map(({ jobId, leaseToken }) => {
      return { jobId, leaseToken, outcome: { kind: "completed", output: OUTPUT } } as const;
    });
    this.reportInPieces({ outcomes });
  }

  renew(): void {
    this.report({ renewals: this.jobs });
  }

  readonly pause = () => undefined;
  readonly resume = () => undefined;
  readonly end = () => undefined;
}

/** Workers with `jobs` jobs each. */
async function connected({ clock, engine }: TestEngine, workers: number, jobs = 1) {
  const peers: Peer[] = [];
  for (let at = 0; at < workers; at += 1) {
    const worker = new WorkerHandle({
      id: `w${at}`,
      endpointId: "echo",
      endpointVersion: 1,
      startedAt: 0,
      realClock: engine.realClock,
    });
    engine.fleet.add(worker);
    const peer = new Peer();
    const open = (send: WorkerHandle["send"]) => new WorkerSession(engine, worker, send);
    void new WireSession({ call: peer as unknown as WorkerCall, open, log: engine.log });
    const hello = { protocolVersion: PROTOCOL_VERSION, runtimeVersion: "0.0.0-test", held: [] };
    peer.report({ hello, ready: { concurrency: jobs }, credit: jobs });
    await clock.settle();
    for (let n = 0; n < jobs; n += 1)
      await submit(engine, {
        endpointId: "echo",
        kind: "async",
        submission: { input: Buffer.from("{}"), policy: { lowPriority: false, ttlMs: 600_000 } },
      });
    await clock.settle();
    peers.push(peer);
  }
  expect(peers.map((peer) => peer.jobs.length)).toEqual(peers.map(() => jobs));
  return peers;
}

/** Status and attempt of each job. */
async function jobsOf({ engine }: TestEngine, peers: readonly Peer[]) {
  const ids = peers.flatMap((peer) => peer.jobs.map(({ jobId }) => jobId));
  const jobs = ids.map((id) => engine.steps.read((reads) => reads.job(id)));
  return (await Promise.all(jobs)).map((job) => [job?.status, job?.attempt]);
}

/** Takes the room for large reports, except this number of bytes. */
async function takeAllBut({ engine }: TestEngine, bytes: number): Promise<Disposable> {
  const taken = await engine.receiving.take(LIMITS.inFlightMaxBytes - bytes, NEVER);
  if (taken === undefined) throw new Error("nobody has aborted");
  return taken;
}

it(`outcomes of ${WORKERS} workers at once stay within the bound of memory, and all are stored`, async () => {
  let staged = 0;
  let peak = 0;
  const memory = createMemoryStore();
  const store = storeWith(memory, {
    stage: async (parts) => {
      const bytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
      staged += bytes;
      peak = Math.max(peak, staged);
      for (let turns = 0; turns < 100; turns += 1) await new Promise(setImmediate);
      staged -= bytes;
      return memory.stage(parts);
    },
  });
  await using test = await createTestEngine(store);
  using _ = await takeAllBut(test, 2.5 * OUTPUT.length);
  const peers = await connected(test, WORKERS);
  for (const peer of peers) peer.finishAll();
  await expect.poll(() => jobsOf(test, peers)).toEqual(peers.map(() => ["COMPLETED", 1]));
  expect(peak).toBeLessThan(2.5 * OUTPUT.length);
});

it("a worker keeps its leases by renewals while its outcome waits for room, and no later outcome overtakes it", async () => {
  await using test = await createTestEngine();
  const { clock } = test;
  const all = await takeAllBut(test, 0);
  const [peer] = await connected(test, 1, 3);
  if (peer === undefined) throw new Error("there is one");
  const [first, second] = peer.jobs;
  if (first === undefined || second === undefined) throw new Error("three jobs were handed over");
  const outcome = { kind: "completed", output: OUTPUT } as const;
  peer.reportInPieces({ outcomes: [{ ...first, outcome }] });
  await expect.poll(() => peer.isSending).toBe(false);
  peer.report({ outcomes: [{ ...second, outcome: { kind: "completed" } }] });
  for (let ms = 0; ms < 3 * LIMITS.leaseMs; ms += LIMITS.leaseRenewalMs) {
    peer.renew();
    await clock.advance(LIMITS.leaseRenewalMs);
    await clock.settle();
  }
  const waiting = peer.jobs.map(() => ["IN_PROGRESS", 1]);
  expect(await jobsOf(test, [peer])).toEqual(waiting);
  all[Symbol.dispose]();
  const ended = [
    ["COMPLETED", 1],
    ["COMPLETED", 1],
    ["IN_PROGRESS", 1],
  ];
  await expect.poll(() => jobsOf(test, [peer])).toEqual(ended);
});

it("a session that ends while its outcomes arrive or wait for room frees their memory", async () => {
  await using test = await createTestEngine();
  const { receiving } = test.engine;
  const all = await takeAllBut(test, 0);
  const [waiting, broken] = await connected(test, 2);
  if (waiting === undefined || broken === undefined) throw new Error("there are two");
  waiting.finishAll();
  all[Symbol.dispose]();
  broken.emit("data", { ...encodeReport({}), piece: { left: 1_000_000, data: Buffer.alloc(9) } });
  waiting.emit("close");
  broken.emit("close");
  await expect
    .poll(() => {
      using half = receiving.takeNow(LIMITS.inFlightMaxBytes / 2);
      return half !== undefined;
    })
    .toBe(true);
});
