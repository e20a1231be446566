/**
 * Engines on one store between which endpoints move in all ways, while jobs are submitted, run, end and are
 * cancelled.
 */
import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { isTerminal } from "../../../../runtime/protocol/job-status.ts";
import type { HandedJob } from "../../../../runtime/protocol/outcome.ts";
import { ServiceError } from "../../../../emulator/core/service-error.ts";
import type { Job } from "../../../../emulator/core/jobs/job.ts";
import { cancel } from "../../../../emulator/engine/jobs/cancel.ts";
import type { Batch } from "../../../../emulator/store/batch.ts";
import type { ScriptedWorker } from "../../scripted-worker.ts";
import { partitionOf } from "./shared-store.ts";
import { Gate, type Member, SharedService, submitTo } from "./shared-service.ts";

const MEMBERS = 3;
const PARTITIONS = [1, 2];

/** A random event, with its subject and its member. */
export interface Act {
  readonly what: number;
  readonly partition: number;
  readonly member: number;
  readonly pick: number;
}

interface Held {
  readonly worker: ScriptedWorker;
  readonly job: HandedJob;
}

export class MovingWorld {
  readonly service = new SharedService();
  /** The stored jobs. */
  readonly #jobs = new Map<string, Job>();
  /** Acknowledged status of each job. */
  readonly #told = new Map<string, Job["status"]>();
  readonly #workers: ScriptedWorker[] = [];
  readonly #held: Held[] = [];
  readonly #defects: unknown[] = [];
  readonly #gates = new Map<Member, Gate>();
  readonly #underWay = new Set<Promise<void>>();
  #submitted = 0;
  moves = 0;

  async open(): Promise<void> {
    this.service.shared.look = (batch) => this.#look(batch);
    for (let member = 0; member < MEMBERS; member += 1)
      await this.service.open(member === 0 ? PARTITIONS : []);
  }

  async act({ what, partition, member: at, pick }: Act): Promise<void> {
    const member = this.#member(at);
    const endpointId = `echo-${PARTITIONS[partition % PARTITIONS.length]}`;
    const acts = [
      () => this.#begin(this.#submit(endpointId, member)),
      () => this.#begin(this.#submit(endpointId, member)),
      () => this.#begin(this.#connect(endpointId)),
      () => this.#begin(this.#finish(pick)),
      () => this.#begin(this.#finish(pick)),
      () => this.#begin(this.#cancel(pick)),
      () => this.#begin(this.#steal(endpointId, member)),
      () => this.#tellLost(),
      () => this.#begin(this.#give(endpointId, member, pick % 2 === 0 ? "idle" : "now")),
      () => this.#pause(member),
      () => this.#resume(member),
      () => this.#begin(this.service.clock.advance(pick % 1_500)),
    ];
    acts[what % acts.length]?.();
    for (let turns = pick % 4; turns > 0; turns -= 1) await turn();
  }

  /**
   * Waits until everything has settled and all jobs have ended. Throws if a result differs from what was
   * acknowledged.
   */
  async end(): Promise<void> {
    for (const member of this.service.members) this.#resume(member);
    while (this.#underWay.size > 0) {
      await this.service.clock.advance(5_000);
      await turn();
    }
    this.service.shared.owners.clear();
    this.#tellLost();
    const last = this.#member(0);
    await last.replica.take(...PARTITIONS);
    await this.service.settle();
    for (const partition of PARTITIONS) {
      const worker = await last.test.connectWorker(`echo-${partition}`, { credit: 1_000 });
      await this.service.settle();
      for (const { jobs = [] } of worker.orders)
        for (const job of jobs) await worker.complete(job, 1);
    }
    await this.service.settle();
    this.#check();
    await this.service[Symbol.asyncDispose]();
  }

  #check(): void {
    if (this.#defects.length > 0) throw this.#defects[0];
    for (const [id, status] of this.#told) {
      const job = this.#jobs.get(id);
      assert(job, `${id} is lost`);
      assert(isTerminal(job.status), `${id} is ${job.status}`);
      if (isTerminal(status)) assert.equal(job.status, status, `${id} was told to be ${status}`);
    }
  }

  #member(at: number): Member {
    const member = this.service.members[at % MEMBERS];
    assert(member);
    return member;
  }

  #ownerOf(endpointId: string): Member | undefined {
    const owner = this.service.shared.owners.get(partitionOf(endpointId));
    return this.service.members.find(({ replica }) => replica === owner);
  }

  #begin(work: Promise<unknown>): void {
    const over: Promise<void> = work.then(
      () => void this.#underWay.delete(over),
      (error: unknown) => {
        this.#underWay.delete(over);
        if (!(error instanceof ServiceError)) this.#defects.push(error);
      },
    );
    this.#underWay.add(over);
  }

  /** Submits it first at any engine, then at the owner, under one id. */
  async #submit(endpointId: string, first: Member): Promise<void> {
    const id = `job-${(this.#submitted += 1)}`;
    for (const member of [first, this.#ownerOf(endpointId), this.#ownerOf(endpointId)]) {
      if (member === undefined) return;
      try {
        await submitTo(member, endpointId, { id });
        this.#told.set(id, this.#told.get(id) ?? "IN_QUEUE");
        return;
      } catch (error) {
        if (!(error instanceof ServiceError) || error.code !== "endpoint_moved") throw error;
      }
    }
  }

  async #connect(endpointId: string): Promise<void> {
    const owner = this.#ownerOf(endpointId);
    if (owner?.engine.ownership.holds(endpointId) !== true) return;
    this.#workers.push(await owner.test.connectWorker(endpointId, { credit: 2 }));
  }

  async #finish(pick: number): Promise<void> {
    for (const worker of this.#workers)
      for (const { jobs = [] } of worker.orders.splice(0))
        this.#held.push(...jobs.map((job) => ({ worker, job })));
    const [held] = this.#held.splice(pick % Math.max(1, this.#held.length), 1);
    if (held === undefined) return;
    const { job, worker } = held;
    await worker.complete(job, 1);
    const receipts = worker.orders.flatMap(({ outcomeReceipts = [] }) => outcomeReceipts);
    const isAccepted = receipts.some((one) => one.accepted && one.leaseToken === job.leaseToken);
    if (isAccepted) this.#told.set(job.jobId, "COMPLETED");
    await worker.grant();
  }

  async #cancel(pick: number): Promise<void> {
    const ids = [...this.#told.keys()];
    const id = ids[pick % Math.max(1, ids.length)];
    const job = id === undefined ? undefined : this.#jobs.get(id);
    const owner = job && this.#ownerOf(job.endpointId);
    if (job === undefined || owner === undefined) return;
    await cancel(owner.engine, { endpointId: job.endpointId, jobId: job.id });
    this.#told.set(job.id, "CANCELLED");
  }

  /** The former owner learns of it later. */
  async #steal(endpointId: string, member: Member): Promise<void> {
    if (this.#ownerOf(endpointId) === member) return;
    this.moves += 1;
    await member.replica.take(partitionOf(endpointId));
  }

  async #give(endpointId: string, to: Member, when: "idle" | "now"): Promise<void> {
    const from = this.#ownerOf(endpointId);
    const partition = partitionOf(endpointId);
    if (from === undefined || from === to || this.#gates.has(from)) return;
    await from.replica.owner?.leave(new Set([partition]), when);
    if (this.#ownerOf(endpointId) !== from) return;
    this.moves += 1;
    await to.replica.take(partition);
  }

  #tellLost(): void {
    for (const { engine, replica } of this.service.members) {
      const lost = PARTITIONS.filter(
        (partition) => this.service.shared.owners.get(partition) !== replica,
      );
      const known = lost.filter((partition) => engine.ownership.holds(`echo-${partition}`));
      if (known.length > 0) replica.owner?.lost(new Set(known));
    }
  }

  /** Its batches reach the store only after the standstill, perhaps too late. */
  #pause(member: Member): void {
    if (this.#gates.has(member)) return;
    const gate = new Gate();
    this.#gates.set(member, gate);
    member.replica.before = gate.pass;
    member.replica.isUnsure = true;
  }

  #resume(member: Member): void {
    member.replica.before = async () => undefined;
    member.replica.isUnsure = false;
    this.#gates.get(member)?.open();
    this.#gates.delete(member);
  }

  #look(batch: Batch): void {
    try {
      this.#apply(batch);
    } catch (error) {
      this.#defects.push(error);
    }
  }

  /** Each row builds on the stored one, and the first job of a queue goes first. */
  #apply({ jobs, changes, counts }: Batch): void {
    const waited = [...this.#jobs.values()].filter(({ status }) => status === "IN_QUEUE");
    for (const { before, after } of jobs) {
      assert.deepEqual(before, this.#jobs.get(after.id));
      if (before && isTerminal(before.status)) assert.equal(after.status, before.status);
      this.#jobs.set(after.id, after);
    }
    for (const change of changes)
      if (change.type === "delete-job") assert(this.#jobs.delete(change.job.id));
    for (const { before, after } of jobs) {
      if (before?.status !== "IN_QUEUE" || after.status !== "IN_PROGRESS") continue;
      const passed = waited.filter(
        ({ id, endpointId, queueKey }) =>
          endpointId === after.endpointId &&
          queueKey < before.queueKey &&
          this.#jobs.get(id)?.status === "IN_QUEUE",
      );
      assert.deepEqual(passed, [], `${after.id} goes before others`);
    }
    for (const [endpointId, { inQueue, inProgress }] of counts) {
      const own = [...this.#jobs.values()].filter((job) => job.endpointId === endpointId);
      assert.equal(inQueue, own.filter(({ status }) => status === "IN_QUEUE").length);
      assert.equal(inProgress, own.filter(({ status }) => status === "IN_PROGRESS").length);
    }
  }
}
