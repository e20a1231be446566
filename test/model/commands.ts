/** The kinds of commands of the model test; each is one action of a client, a worker or the clock. */
import { Buffer } from "node:buffer";
import { advanceClock } from "../../emulator/engine/time/advance-clock.ts";
import { cancel } from "../../emulator/engine/jobs/cancel.ts";
import { loseWorker } from "../../emulator/engine/jobs/requeue.ts";
import { health } from "../../emulator/engine/resources/endpoints/health.ts";
import { viewJob } from "../../emulator/engine/jobs/read/job-view.ts";
import { setTtl } from "../../emulator/engine/jobs/set-ttl.ts";
import { purgeQueue } from "../../emulator/engine/jobs/purge-queue.ts";
import { retry } from "../../emulator/engine/jobs/retry.ts";
import { readStream } from "../../emulator/engine/streams/read-stream.ts";
import { chunksShown } from "../../emulator/engine/streams/shown-batches.ts";
import { submit } from "../../emulator/engine/jobs/submit.ts";
import type { Outcome } from "../../runtime/protocol/outcome.ts";
import { ENDPOINT_IDS, type Held, type Subject } from "./subject.ts";

/** Draws one of `items`, equal for every subject; undefined from an empty list. */
export type Pick = <T>(items: readonly T[]) => T | undefined;

/** Answer of the command; undefined if it had nothing to act on. Refusals are thrown. */
export type Command = (subject: Subject, pick: Pick) => Promise<unknown>;

const FAILURE = { type: "handler_error", message: "it broke" } as const;

function submitAs(kind: "async" | "sync", size: number): Command {
  return async (subject, pick) => {
    const endpointId = pick(ENDPOINT_IDS) ?? "plain";
    const input = Buffer.from(
      JSON.stringify({ nth: subject.jobIds.length, pad: "x".repeat(size) }),
    );
    const policy = {
      lowPriority: pick([true, false, false]) ?? false,
      ttlMs: pick([60_000, 86_400_000]) ?? 60_000,
    };
    const job = await submit(subject.test.engine, {
      endpointId,
      kind,
      submission: { input, policy },
    });
    subject.jobIds.push({ endpointId, jobId: job.id });
    return job.id;
  };
}

function onJob(
  act: (subject: Subject, ref: { endpointId: string; jobId: string }) => Promise<unknown>,
): Command {
  return async (subject, pick) => {
    const ref = pick(subject.jobIds);
    return ref && act(subject, ref);
  };
}

/** Reports on a hand-over that the worker takes for current. */
function onHeld(act: (held: Held, pick: Pick) => Promise<unknown>): Command {
  return async (subject, pick) => {
    const held = pick(subject.held.filter(({ over }) => !over));
    return held && act(held, pick);
  };
}

function finishing(outcome: Outcome): Command {
  return onHeld(async (held) => {
    held.over = true;
    await held.worker.finish(held.job, outcome);
    return receiptOf(held);
  });
}

function receiptOf({ worker, job }: Held): unknown {
  return worker.orders
    .flatMap(({ outcomeReceipts }) => outcomeReceipts ?? [])
    .findLast(({ leaseToken }) => leaseToken === job.leaseToken);
}

/** Advances time. At each due time it waits until the effects have reached the workers. */
function advancing(ms: number): Command {
  return async (subject) => {
    const { clock, engine } = subject.test;
    const until = engine.clock.now() + ms;
    while (engine.clock.now() < until) {
      const { nextDueAt } = await subject.settled();
      await clock.advance(Math.min(until, nextDueAt) - engine.clock.now());
    }
    return ms;
  };
}

const never = new AbortController().signal;

const OUTPUT = Buffer.from('{"done":true}');

export const COMMANDS: Readonly<Record<string, Command>> = {
  run: submitAs("async", 20),
  runsync: submitAs("sync", 20),
  "run with a large input": submitAs("async", 300_000),
  "connect a worker": async (subject, pick) => {
    if (subject.workers.length >= 4) return undefined;
    const credit = pick([1, 3]) ?? 1;
    const worker = await subject.test.connectWorker(pick(ENDPOINT_IDS), { credit });
    subject.workers.push(worker);
    return worker.worker.id;
  },
  "grant credit": async ({ workers }, pick) => {
    const worker = pick(workers);
    await worker?.grant(1);
    return worker?.worker.id;
  },
  complete: finishing({ kind: "completed", output: OUTPUT }),
  "complete without output": finishing({ kind: "completed" }),
  fail: finishing({ kind: "failed", failure: FAILURE }),
  "time out": finishing({ kind: "timed-out", failure: { ...FAILURE, type: "execution_timeout" } }),
  "lose the process": finishing({ kind: "lost", failure: { ...FAILURE, type: "process_exited" } }),
  "hand back": finishing({ kind: "handed-back" }),
  "report a stale or repeated outcome": async (subject, pick) => {
    const held = pick(subject.held.filter(({ over }) => over));
    if (!held) return undefined;
    await held.worker.finish(held.job, { kind: "completed", output: Buffer.from('"stale"') });
    return receiptOf(held);
  },
  stream: onHeld(async (held, pick) => {
    const count = pick([1, 2, 5]) ?? 1;
    const outputs = Array.from({ length: count }, (_, nth) => ({ chunk: held.chunks + nth }));
    await held.worker.chunks(held.job, outputs, held.chunks);
    held.chunks += count;
    return held.chunks;
  }),
  "repeat chunks": async (subject, pick) => {
    const held = pick(subject.held.filter(({ over, chunks }) => !over && chunks > 0));
    await held?.worker.chunks(held.job, [{ chunk: 0 }], 0);
    return held?.chunks;
  },
  "report progress": onHeld(async (held) => {
    await held.worker.progress(held.job, { percent: 50 });
    return held.job.jobId;
  }),
  "stop at a breakpoint or go on": onHeld(async ({ worker, job: { jobId, leaseToken } }, pick) => {
    const isPaused = pick([true, false]) ?? false;
    await worker.report({ pauses: [{ jobId, leaseToken, isPaused, pausedMs: 700 }] });
    return jobId;
  }),
  renew: onHeld(async ({ worker, job }) => {
    await worker.report({ renewals: [{ jobId: job.jobId, leaseToken: job.leaseToken }] });
    return job.jobId;
  }),
  "lose a worker": async ({ test, workers }, pick) => {
    const worker = pick(workers)?.worker;
    if (!worker) return undefined;
    await loseWorker(test.engine, worker, { type: "worker_lost", message: "it is gone" });
    return worker.id;
  },
  status: onJob(({ test }, ref) => viewJob(test.engine, ref)),
  "status with ttl": onJob(({ test }, ref) => setTtl(test.engine, ref, 90_000)),
  "read the stream": onJob(async ({ test }, ref) => {
    const options = { holdMs: 0, signal: AbortSignal.abort() };
    const { batches, ...part } = await readStream(test.engine, ref, options);
    const chunks: string[] = [];
    for (const batch of batches)
      for await (const chunk of chunksShown(batch)) chunks.push(Buffer.from(chunk).toString());
    return { ...part, firstIndex: batches[0]?.firstIndex, chunks };
  }),
  cancel: onJob(({ test }, ref) => cancel(test.engine, ref)),
  retry: onJob(({ test }, ref) => retry(test.engine, ref)),
  purge: ({ test }, pick) => purgeQueue(test.engine, pick(ENDPOINT_IDS) ?? "plain"),
  health: ({ test }, pick) => health(test.engine, pick(ENDPOINT_IDS) ?? "plain"),
  "let a second pass": advancing(1_000),
  "let a lease run out": advancing(16_000),
  "let sync retention run out": advancing(61_000),
  "advance the clock": async ({ test }) => advanceClock(test.engine, 61_000, never),
};
