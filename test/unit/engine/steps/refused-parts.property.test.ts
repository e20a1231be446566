/** Batches that are refused at random: exactly the acknowledged steps took effect, in order. */
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { submitJob } from "../../../../emulator/core/jobs/job-transition.ts";
import type { Job } from "../../../../emulator/core/jobs/job.ts";
import { Journal } from "../../../../emulator/core/undo-journal.ts";
import { BatchWriter } from "../../../../emulator/engine/steps/batch-writer.ts";
import type { Effects } from "../../../../emulator/engine/steps/effects.ts";
import { JobMemory } from "../../../../emulator/engine/steps/state/job-memory.ts";
import { RecordBook } from "../../../../emulator/engine/steps/state/record-book.ts";
import { NO_RELEASES } from "../../../../emulator/engine/steps/step-releases.ts";
import type { Step } from "../../../../emulator/engine/steps/step.ts";
import type { Batch } from "../../../../emulator/store/batch.ts";
import { BatchRefusedError } from "../../../../emulator/store/store.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { sized } from "../../../setup/size.ts";
import { type Below, random } from "./interleaved-jobs.ts";

const ENDPOINTS = ["good", "bad", "worse"];

/** Reads and changes of a step. */
interface Account {
  readonly endpointIds: readonly string[];
  readonly seen: { readonly id: string; readonly job: Job | undefined }[];
  readonly done: { readonly id: string; readonly job: Job | undefined }[];
  outcome: "open" | "stored" | "refused";
  takenBack: number;
}

class World {
  readonly below: Below;
  readonly memory: JobMemory;
  readonly writer: BatchWriter;
  readonly accounts: Account[] = [];
  readonly stored = new Map<string, Job>();
  readonly released: Effects[] = [];
  readonly isSometimesFull: boolean;
  isBad = true;
  #number = 0;
  #seq = 0;

  constructor(seed: number) {
    this.below = random(seed);
    this.isSometimesFull = seed % 3 === 0;
    const journal = new Journal();
    this.memory = new JobMemory(journal, 0);
    const records = new RecordBook(journal);
    this.writer = new BatchWriter({
      state: { jobs: this.memory, records, nextSeq: () => (this.#seq += 1) },
      journal,
      durable: 0,
      gatherMs: 0,
      flush: (batch) => this.#flush(batch),
      clock: new FakeClock(),
      lastSeq: () => this.#seq,
      onDefect: assert.ifError,
      releases: () => ({
        ...NO_RELEASES,
        release: (effects) => this.released.push(...effects),
      }),
    });
  }

  /** Each endpoint except the good one has times at which its steps are refused. */
  async #flush({ number, jobs, changes, counts }: Batch): Promise<void> {
    const bad = ENDPOINTS.filter((id) => this.isBad && id !== "good" && this.below(3) === 0);
    const isFull = this.isBad && this.isSometimesFull && this.below(12) === 0;
    for (let turns = this.below(3); turns > 0; turns -= 1) await turn();
    if (isFull) throw new Error("disk full");
    if (bad.some((id) => counts.has(id))) throw new BatchRefusedError("a bad row");
    this.#number += 1;
    assert.equal(number, this.#number);
    for (const { before, after } of jobs) {
      assert.deepEqual(this.stored.get(after.id), before);
      this.stored.set(after.id, after);
    }
    for (const change of changes)
      if (change.type === "delete-job") assert(this.stored.delete(change.job.id));
    for (const [endpointId, { inQueue }] of counts) {
      const waiting = [...this.stored.values()].filter(
        (job) => job.endpointId === endpointId && job.status === "IN_QUEUE",
      );
      assert.equal(inQueue, waiting.length);
    }
  }

  act(): void {
    const first = ENDPOINTS[this.below(3)] ?? "good";
    const second = this.below(12) === 0 ? [ENDPOINTS[this.below(3)] ?? "good"] : [];
    const endpointIds = [...new Set([first, ...second])];
    const account: Account = { endpointIds, seen: [], done: [], outcome: "open", takenBack: 0 };
    this.accounts.push(account);
    const throws = this.below(10) === 0;
    const changed = this.writer.run((step) => {
      step.onFailure(() => (account.takenBack += 1));
      for (const endpointId of endpointIds) this.#change(step, endpointId, account);
      if (throws) throw new Error("refused by its rules");
    });
    changed.then(
      () => (account.outcome = "stored"),
      () => (account.outcome = "refused"),
    );
  }

  #change(step: Step, endpointId: string, account: Account): void {
    const known = [...this.memory.all()].filter((job) => job.endpointId === endpointId);
    const picked = known[this.below(known.length)];
    const job = picked && step.job(picked.id);
    if (job === undefined || this.below(3) === 0) {
      const made = this.#newJob(step.nextSeq(), endpointId);
      step.insertJob(made);
      account.done.push({ id: made.id, job: made });
      return;
    }
    account.seen.push({ id: job.id, job });
    const after = this.below(4) === 0 ? job : this.#changed(step, job);
    if (after !== job) account.done.push({ id: job.id, job: after });
  }

  /** Undefined after its deletion. */
  #changed(step: Step, job: Job): Job | undefined {
    const become = (after: Job) => {
      step.replaceJob(job, after);
      return after;
    };
    switch (this.below(4)) {
      case 0:
        step.deleteJob(job);
        return undefined;
      case 1:
        return become({ ...job, status: "IN_PROGRESS" });
      case 2:
        return become({ ...job, status: "IN_QUEUE", queueKey: step.nextSeq() });
      default: {
        const after = { ...job, attempt: job.attempt + 1 };
        step.replaceInMemory(job, after);
        return after;
      }
    }
  }

  #newJob(seq: number, endpointId: string): Job {
    const times = { executionTimeoutMs: 1, ttlMs: 1, retentionMs: 1 };
    const identity = { seq, id: `job-${seq}`, endpointId, kind: "async" } as const;
    return submitJob({ ...identity, ...times, lowPriority: false, webhook: undefined }, 0);
  }

  /** The expected state if only acknowledged steps had run. */
  replay(): Map<string, Job> {
    const jobs = new Map<string, Job>();
    for (const { seen, done, outcome, takenBack } of this.accounts) {
      assert.equal(takenBack, outcome === "stored" ? 0 : 1);
      if (outcome !== "stored") continue;
      for (const { id, job } of seen) assert.deepEqual(jobs.get(id), job);
      for (const { id, job } of done) {
        if (job) jobs.set(id, job);
        else jobs.delete(id);
      }
    }
    return jobs;
  }
}

/** State in memory only. */
const withoutAttempt = (job: Job | undefined) => job && { ...job, attempt: 0 };

test("after any refusals, memory and store have exactly the answered steps", async () => {
  let refused = 0;
  for (let seed = 1; seed <= sized(150, 5_000); seed += 1) {
    const world = new World(seed);
    // Keeps jobs in memory, so that no read is needed.
    using _ = world.memory.beginRead();
    for (let step = 0; step < 60; step += 1) {
      world.act();
      if (world.below(3) === 0) await turn();
    }
    world.isBad = false;
    do await turn();
    while (world.writer.storing !== undefined);
    const jobs = world.replay();
    expect([...world.stored.keys()].toSorted(), `seed ${seed}`).toEqual(
      [...jobs.keys()].toSorted(),
    );
    for (const [id, job] of jobs) {
      assert.deepEqual(withoutAttempt(world.stored.get(id)), withoutAttempt(job));
      assert.deepEqual(world.memory.find(id), job);
    }
    const outcomes = Map.groupBy(world.accounts, ({ outcome }) => outcome);
    assert.equal(outcomes.has("open"), false);
    assert.equal(world.released.length, outcomes.get("stored")?.length ?? 0);
    refused += outcomes.get("refused")?.length ?? 0;
  }
  // The property itself is tested.
  expect(refused).toBeGreaterThan(100);
});
