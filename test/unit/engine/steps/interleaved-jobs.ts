/** Jobs with all kinds of concurrent events, on a store with random delays that is sometimes full. */
import { setImmediate as turn } from "node:timers/promises";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import type { HandedJob } from "../../../../runtime/protocol/outcome.ts";
import { ServiceError } from "../../../../emulator/core/service-error.ts";
import { StoreFullError } from "../../../../emulator/core/store-error.ts";
import { cancel } from "../../../../emulator/engine/jobs/cancel.ts";
import { setTtl } from "../../../../emulator/engine/jobs/set-ttl.ts";
import { purgeQueue } from "../../../../emulator/engine/jobs/purge-queue.ts";
import { listRequests } from "../../../../emulator/engine/jobs/read/list-requests.ts";
import { viewJob } from "../../../../emulator/engine/jobs/read/job-view.ts";
import { retry } from "../../../../emulator/engine/jobs/retry.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import type { Store } from "../../../../emulator/store/store.ts";
import type { TestEngine } from "../../engine-harness.ts";
import type { ScriptedWorker } from "../../scripted-worker.ts";

export type Below = (below: number) => number;

export function random(seed: number): Below {
  let state = (seed * 2_654_435_761) >>> 0;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const READS = new Set([
  "job",
  "listJobs",
  "findJobs",
  "countJobs",
  "jobsOf",
  "waitingJobs",
  "dueJobs",
  "nextDueAt",
  "payload",
]);

/**
 * Answers each call some turns after it was handled, and refuses one batch in `fullOneIn`, in the order that the
 * port requires.
 */
export function moodyStore(below: Below, weather: { fullOneIn: number }): Store {
  const store = createMemoryStore();
  let flushed: Promise<void> = Promise.resolve();
  const later = async <T>(work: () => Promise<T>): Promise<T> => {
    await flushed;
    const answer = await work();
    for (let turns = below(4); turns > 0; turns -= 1) await turn();
    return answer;
  };
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const ask = value.bind(target) as (...of: unknown[]) => Promise<unknown>;
      if (name === "flush")
        return (...of: unknown[]) => {
          const isFull = weather.fullOneIn > 0 && below(weather.fullOneIn) === 0;
          const done = later(async () => {
            for (let turns = below(3); turns > 0; turns -= 1) await turn();
            if (isFull) throw new StoreFullError("there is no room");
            await ask(...of);
          });
          flushed = done.then(
            () => undefined,
            () => undefined,
          );
          return done;
        };
      return READS.has(String(name)) ? (...of: unknown[]) => later(() => ask(...of)) : ask;
    },
  });
}

export class InterleavedJobs {
  readonly test: TestEngine;
  readonly below: Below;
  readonly workers: ScriptedWorker[];
  readonly held: { worker: ScriptedWorker; job: HandedJob }[] = [];
  readonly known: string[] = [];
  /** Jobs without any request to remove them. */
  readonly safe = new Set<string>();
  #purges = 0;
  readonly defects: unknown[] = [];
  readonly underWay = new Set<Promise<void>>();

  constructor(test: TestEngine, below: Below, workers: ScriptedWorker[]) {
    this.test = test;
    this.below = below;
    this.workers = workers;
  }

  /** Runs it in the background; a refusal is allowed, a defect is not. */
  begin(work: Promise<unknown>): void {
    const over: Promise<void> = work.then(
      () => void this.underWay.delete(over),
      (error: unknown) => {
        this.underWay.delete(over);
        if (!(error instanceof ServiceError)) this.defects.push(error);
      },
    );
    this.underWay.add(over);
  }

  any<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  ref(id: string) {
    this.safe.delete(id);
    return { endpointId: "echo", jobId: id };
  }

  async submit(ttlMs: number = LIMITS.ttlDefaultMs): Promise<void> {
    const purges = this.#purges;
    const { id } = await this.test.submit({ input: `{"n":${this.known.length}}`, ttlMs });
    this.known.push(id);
    if (ttlMs === LIMITS.ttlDefaultMs && purges === this.#purges) this.safe.add(id);
    // A caller with an answer finds the job at once.
    const { jobs } = await listRequests(this.test.engine, "echo", { limit: 10_000 });
    if (this.safe.has(id) && !jobs.some((job) => job.id === id))
      this.defects.push(new Error(`${id} is not in the list`));
  }

  /** Records new hand-overs to workers. */
  collect(): void {
    for (const worker of this.workers) {
      for (const orders of worker.orders.splice(0))
        for (const job of orders.jobs ?? []) this.held.push({ worker, job });
    }
  }

  /** Ends one of the handed-over jobs in some way; each outcome may be reported twice. */
  report(): void {
    this.collect();
    const at = this.below(this.held.length);
    const held = this.held[at];
    if (held === undefined) return;
    const { worker, job } = held;
    if (this.below(3) > 0) this.held.splice(at, 1);
    const ways = [
      () => worker.complete(job, { done: true }),
      () => worker.fail(job),
      () => worker.finish(job, { kind: "handed-back" }),
      () => worker.chunks(job, ["a"]),
      () => worker.report({ renewals: [{ jobId: job.jobId, leaseToken: job.leaseToken }] }),
    ];
    const way = this.any(ways);
    if (way) this.begin(way());
  }

  act(): void {
    const { engine } = this.test;
    const id = this.any(this.known);
    switch (this.below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
        this.begin(this.submit());
        break;
      case 4:
        this.begin(this.submit(10_000));
        break;
      case 5:
      case 6: {
        const worker = this.any(this.workers);
        if (worker) this.begin(worker.grant());
        break;
      }
      case 7:
      case 8:
      case 9:
        this.report();
        break;
      case 10:
        if (id !== undefined) this.begin(cancel(engine, this.ref(id)));
        break;
      case 11:
        if (id !== undefined) this.begin(retry(engine, { endpointId: "echo", jobId: id }));
        break;
      case 12:
        if (id !== undefined) this.begin(viewJob(engine, { endpointId: "echo", jobId: id }));
        break;
      case 13:
        if (id !== undefined && this.below(2) === 0)
          this.begin(setTtl(engine, this.ref(id), 1 + this.below(5_000)));
        break;
      case 14:
        if (this.below(4) > 0) break;
        this.safe.clear();
        this.#purges += 1;
        this.begin(purgeQueue(engine, "echo"));
        break;
      default:
        if (this.below(3) === 0) this.begin(this.test.clock.advance(this.below(6_000)));
    }
  }

  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
    await this.test.clock.settle();
  }
}
