/** A worker that a test scripts: it takes jobs and reports on them over an in-memory session, exactly as told. */
import { Buffer } from "node:buffer";
import type { Failure } from "../../runtime/protocol/failure.ts";
import type { HandedJob, Outcome } from "../../runtime/protocol/outcome.ts";
import type { ServiceOrders, WorkerReport } from "../../runtime/protocol/session.ts";
import type { EngineContext } from "../../emulator/engine/parts/engine-parts.ts";
import type { WorkerHandle } from "../../emulator/engine/workers/worker-handle.ts";
import { WorkerSession } from "../../emulator/engine/workers/session/worker-session.ts";

export class ScriptedWorker {
  readonly worker: WorkerHandle;
  readonly session: WorkerSession;
  /** All orders of the service so far. */
  readonly orders: ServiceOrders[] = [];
  readonly #waiting: HandedJob[] = [];
  readonly #takers: ((job: HandedJob) => void)[] = [];

  constructor(engine: EngineContext, worker: WorkerHandle) {
    this.worker = worker;
    this.session = new WorkerSession(engine, worker, (orders) => this.#receive(orders));
  }

  async greet(credit: number): Promise<void> {
    const hello = { protocolVersion: 1, runtimeVersion: "0.0.0-test", held: [] };
    await this.report({ hello, ready: { concurrency: Math.max(1, credit) }, credit });
  }

  report(report: WorkerReport): Promise<void> {
    return this.session.receive(report);
  }

  /** Grants credit for `count` more jobs. */
  grant(count = 1): Promise<void> {
    return this.report({ credit: count });
  }

  /** The next handed-over job that was not taken before. */
  nextJob(): Promise<HandedJob> {
    const job = this.#waiting.shift();
    if (job) return Promise.resolve(job);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  /** Ends the job with `output` (any JSON value, or raw bytes); undefined for none. */
  complete(job: HandedJob, output?: unknown): Promise<void> {
    return this.finish(
      job,
      output === undefined ? { kind: "completed" } : { kind: "completed", output: json(output) },
    );
  }

  fail(job: HandedJob, failure: Partial<Failure> = {}): Promise<void> {
    const whole: Failure = { type: "handler_error", message: "it failed", ...failure };
    return this.finish(job, { kind: "failed", failure: whole });
  }

  /** Ends the job as `outcome` says. */
  finish(job: HandedJob, outcome: Outcome): Promise<void> {
    return this.report({ outcomes: [{ ...leaseOf(job), outcome }] });
  }

  /** Streams `outputs` as chunks from index `from` on. */
  chunks(job: HandedJob, outputs: readonly unknown[], from = 0): Promise<void> {
    const attempt = job.attempt > 1 ? { attempt: job.attempt } : {};
    const texts = outputs.map((output, position) =>
      JSON.stringify({ output, metrics: { stream_index: from + position, ...attempt } }),
    );
    return this.lines(job, texts, from);
  }

  /** Streams lines of any text, as one batch. */
  lines(job: HandedJob, texts: readonly string[], firstIndex = 0): Promise<void> {
    const lines = Buffer.from(texts.map((text) => `${text}\n`).join(""));
    return this.report({ chunks: [{ ...leaseOf(job), firstIndex, count: texts.length, lines }] });
  }

  progress(job: HandedJob, value: unknown): Promise<void> {
    return this.report({ progress: [{ ...leaseOf(job), value: json(value) }] });
  }

  #receive(orders: ServiceOrders): void {
    this.orders.push(orders);
    for (const job of orders.jobs ?? []) {
      const take = this.#takers.shift();
      if (take) take(job);
      else this.#waiting.push(job);
    }
  }
}

function leaseOf({ jobId, leaseToken }: HandedJob) {
  return { jobId, leaseToken };
}

function json(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value));
}
