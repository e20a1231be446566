/** One life of a service, from its start to its crash: its commands, and what they tell. The test decides when a batch is stored. */
import { Buffer } from "node:buffer";
import { ServiceError } from "../../../emulator/core/service-error.ts";
import { cancel } from "../../../emulator/engine/jobs/cancel.ts";
import { purgeQueue } from "../../../emulator/engine/jobs/purge-queue.ts";
import { type JobView, viewJob } from "../../../emulator/engine/jobs/read/job-view.ts";
import { retry } from "../../../emulator/engine/jobs/retry.ts";
import { submit, submitAndWait } from "../../../emulator/engine/jobs/submit.ts";
import { followStream } from "../../../emulator/engine/streams/read-stream.ts";
import type { Store } from "../../../emulator/store/store.ts";
import type { HandedJob, Outcome, Revocation } from "../../../runtime/protocol/outcome.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { FakeClock } from "../../fake-clock.ts";
import { createTestEngine, type TestEngine } from "../../unit/engine-harness.ts";
import { ScriptedSender } from "../../unit/scripted-sender.ts";
import type { ScriptedWorker } from "../../unit/scripted-worker.ts";
import { Gate } from "./gate.ts";
import type { Told } from "./told.ts";

const ENDPOINT = "echo";
const TTL_MS = 86_400_000;
const FAILURE = { type: "handler_error", message: "it broke" } as const;
const WORKERS = 2;
/** Ids that one life draws at most. */
const DRAWN_A_LIFE = 1_000_000;

interface Held {
  readonly worker: ScriptedWorker;
  readonly job: HandedJob;
  chunks: number;
  /** The service has taken the hand-over back, and waits until the worker says that it stopped. */
  isTakenBack: boolean;
}

export class Life {
  readonly #test: TestEngine;
  readonly #disk: Store;
  readonly #told: Told;
  readonly #gate: Gate;
  readonly #workers: ScriptedWorker[] = [];
  readonly #seenOrders = new Map<ScriptedWorker, number>();
  #held: Held[] = [];
  /** Leases that were reported as completed. */
  readonly #completed = new Set<string>();
  #purges = 0;
  #isOver = false;

  private constructor(test: TestEngine, disk: Store, gate: Gate, told: Told) {
    [this.#test, this.#disk, this.#gate, this.#told] = [test, disk, gate, told];
  }

  /** @param disk what the life before has stored @param number counts lives, from 0 */
  static async begin(disk: Store, told: Told, number: number, clock: FakeClock): Promise<Life> {
    const gate = new Gate(disk);
    const sender = new ScriptedSender(({ text }) => {
      const { id, status } = JSON.parse(text) as { id: string; status: JobStatus };
      if (!life.#isOver) told.status(id, status);
      return 200;
    });
    const test = await createTestEngine(gate.store, undefined, {
      ...{ clock, webhookSender: sender, gatherMs: 1 },
      drawn: number * DRAWN_A_LIFE,
    });
    const life = new Life(test, disk, gate, told);
    test.engine.events.follow((event) => {
      if (event.type !== "job" || life.#isOver) return;
      if (event.to) told.status(event.jobId, event.to);
      if (event.to === "IN_PROGRESS") told.attempt(event.jobId, (told.of(event.jobId).starts += 1));
    });
    for (let count = 0; count < WORKERS; count += 1)
      life.#workers.push(await test.connectWorker(ENDPOINT, { kind: "process" }));
    life.#collect();
    gate.isOpen = false;
    // Time passes while a batch waits, too.
    clock.isBusy = () => false;
    return life;
  }

  get running(): readonly Held[] {
    return this.#held.filter(({ isTakenBack }) => !isTakenBack);
  }

  get stopping(): readonly Held[] {
    return this.#held.filter(({ isTakenBack }) => isTakenBack);
  }

  get clock(): FakeClock {
    return this.#test.clock;
  }

  /** Ends at once. @param isStored whether the batch that is being written has reached the disk, though nobody knows */
  async crash(isStored: boolean): Promise<void> {
    this.#isOver = true;
    const { waiting } = this.#gate;
    if (isStored && waiting) await this.#disk.flush(waiting.batch);
  }

  store(): void {
    this.#gate.waiting?.store();
  }

  refuse(): void {
    this.#gate.waiting?.refuse();
  }

  /** From now on every batch is stored at once. */
  storeAll(): void {
    this.#gate.isOpen = true;
    this.store();
  }

  run(): void {
    const { engine } = this.#test;
    const purges = this.#purges;
    void this.#tell(submit(engine, this.#request("async")), ({ id }) => {
      const told = this.#told.of(id);
      told.mayBeGone ||= this.#purges > purges;
    });
  }

  runSync(): void {
    const { engine } = this.#test;
    const never = new AbortController().signal;
    const answer = submitAndWait(engine, this.#request("sync"), TTL_MS, never);
    void this.#tell(answer, (view) => this.#see(view));
  }

  look(jobId: string): void {
    void this.#tell(viewJob(this.#test.engine, ref(jobId)), (view) => this.#see(view));
  }

  cancel(jobId: string): void {
    void this.#tell(cancel(this.#test.engine, ref(jobId)), ({ status }) =>
      this.#told.status(jobId, status),
    );
  }

  retry(jobId: string): void {
    this.#told.of(jobId).mayRunAgain = true;
    void this.#tell(retry(this.#test.engine, ref(jobId)), () => undefined);
  }

  purge(): void {
    this.#purges += 1;
    for (const jobId of this.#told.jobIds) this.#told.of(jobId).mayBeGone = true;
    void this.#tell(purgeQueue(this.#test.engine, ENDPOINT), () => undefined);
  }

  follow(jobId: string): void {
    void this.#tell(this.#read(jobId), () => undefined);
  }

  grant(nth: number): void {
    void this.#report(this.#workers[nth % this.#workers.length], { credit: 1 });
  }

  chunk(held: Held): void {
    const { worker, job } = held;
    const { attempt, jobId, leaseToken } = job;
    const index = held.chunks;
    held.chunks += 1;
    const line = { output: leaseToken, metrics: { stream_index: index, attempt } };
    const lines = Buffer.from(`${JSON.stringify(line)}\n`);
    const chunks = [{ jobId, leaseToken, firstIndex: index, count: 1, lines }];
    void this.#report(worker, { chunks });
  }

  end(held: Held, kind: "completed" | "failed" | "handed-back" | "stopped"): void {
    this.#held = this.#held.filter((other) => other !== held);
    const { jobId, leaseToken } = held.job;
    if (kind === "completed") this.#completed.add(leaseToken);
    const outcome = outcomeOf(kind, leaseToken);
    void this.#report(held.worker, { outcomes: [{ jobId, leaseToken, outcome }], credit: 1 });
  }

  /** Lets work in memory settle. */
  async turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) await new Promise((done) => setImmediate(done));
    this.#collect();
  }

  #request(kind: "async" | "sync") {
    const input = Buffer.from("{}");
    const submission = {
      input,
      webhook: "http://127.0.0.1/",
      policy: { lowPriority: false, ttlMs: TTL_MS },
    };
    return { endpointId: ENDPOINT, kind, submission };
  }

  #see({ job, output }: JobView): void {
    const text = output instanceof Uint8Array ? Buffer.from(output).toString() : undefined;
    this.#told.status(job.id, job.status, text);
    this.#told.attempt(job.id, job.attempt);
  }

  async #read(jobId: string): Promise<void> {
    const signal = new AbortController().signal;
    for await (const event of followStream(this.#test.engine, ref(jobId), { from: 0, signal })) {
      if (this.#isOver) return;
      if (event.type === "end") this.#see(event.view);
      else if (event.type === "restart") this.#told.attempt(jobId, event.attempt);
      else if (event.type === "chunks" && event.batch.lines instanceof Uint8Array) {
        const { attempt, batch } = event;
        const texts = Buffer.from(event.batch.lines).toString().trimEnd().split("\n");
        for (const [at, text] of texts.entries())
          this.#told.chunk(jobId, attempt, batch.firstIndex + at, text);
      }
    }
  }

  /** Notes what an answer says, unless the service has crashed. Refusals say nothing. */
  async #tell<Answer>(answer: Promise<Answer>, note: (answer: Answer) => void): Promise<void> {
    try {
      const given = await answer;
      if (!this.#isOver) note(given);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }

  async #report(
    worker: ScriptedWorker | undefined,
    report: Parameters<ScriptedWorker["report"]>[0],
  ): Promise<void> {
    await this.#tell(worker?.report(report) ?? Promise.resolve(), () => undefined);
  }

  /** Takes the orders of the service to its workers. Those that stop a job on request do so later. */
  #collect(): void {
    if (this.#isOver) return;
    const handed: Held[] = [];
    for (const worker of this.#workers) {
      const fresh = worker.orders.slice(this.#seenOrders.get(worker) ?? 0);
      this.#seenOrders.set(worker, worker.orders.length);
      for (const { jobs = [], revocations = [], outcomeReceipts = [] } of fresh) {
        for (const job of jobs) handed.push({ worker, job, chunks: 0, isTakenBack: false });
        for (const { jobId, leaseToken, accepted } of outcomeReceipts)
          if (accepted && this.#completed.has(leaseToken))
            this.#told.status(jobId, "COMPLETED", JSON.stringify(leaseToken));
        for (const { leaseToken, reason } of revocations) this.#revoked(leaseToken, reason, handed);
      }
    }
    for (const one of handed) this.#takes(one);
  }

  #takes(handed: Held): void {
    const { jobId } = handed.job;
    const isRunning = ({ job, worker: { worker } }: Held) =>
      job.jobId === jobId && worker.life.phase === "ready" && !worker.gone.aborted;
    if (this.#held.some(isRunning)) this.#told.contradictions.push(`${jobId} runs twice at once`);
    this.#held.push(handed);
  }

  #revoked(leaseToken: string, reason: Revocation["reason"], handed: Held[]): void {
    for (const held of [this.#held, handed]) {
      const at = held.findIndex(({ job }) => job.leaseToken === leaseToken);
      const one = held[at];
      if (one && reason === "taken-back") one.isTakenBack = true;
      else if (one) held.splice(at, 1);
    }
  }
}

function outcomeOf(
  kind: "completed" | "failed" | "handed-back" | "stopped",
  leaseToken: string,
): Outcome {
  if (kind === "failed") return { kind, failure: FAILURE };
  if (kind === "completed") return { kind, output: Buffer.from(JSON.stringify(leaseToken)) };
  return { kind };
}

function ref(jobId: string) {
  return { endpointId: ENDPOINT, jobId };
}
