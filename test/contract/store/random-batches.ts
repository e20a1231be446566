/** Random batches: jobs through their lives, payloads, chunks, deliveries and records; now and then an invalid one. */
import { transition } from "../../../emulator/core/jobs/job-transition.ts";
import { leavesReport, reportOf } from "../../../emulator/core/jobs/job-report.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import { afterTry, type Delivery } from "../../../emulator/core/webhooks/delivery.ts";
import type { Change, JobRow } from "../../../emulator/store/batch.ts";
import { SeededRandom } from "../../e2e/crash/seeded-random.ts";
import {
  batch,
  deleted,
  handedOver,
  inline,
  inserted,
  NOW,
  type Owner,
  pattern,
  put,
  usageOf,
  under,
} from "./subject.ts";
import { endpointRecord } from "./endpoint-record.ts";
import { eventFor, EVENTS } from "./random-events.ts";

export const ENDPOINTS = ["one", "two", "drei ü"] as const;
const SLOTS = ["input", "output", "s3Config"] as const;
/** Size above which payloads are files. */
const SIZES = [0, 20, 20, 200, 200, 2_000, 30_000] as const;
const FILE_BYTES = 300_000;

/** Maximum number held at once. */
const MAX_JOBS = 150;
const MAX_DELIVERIES = 60;

export class Chance extends SeededRandom {
  /** A whole number from 0 up to, but not including, `count`. */
  below(count: number): number {
    return this.integer(0, count - 1);
  }

  pick<T>(among: readonly T[]): T {
    return among[this.below(among.length)] as T;
  }
}

/** The owner's view of the stored data, and its next batch. */
export class RandomBatches {
  readonly jobs = new Map<number, Job>();
  /** The last state that was read. */
  deliveries: readonly Delivery[] = [];
  readonly #random: Chance;
  readonly #owner: Owner;
  #chunks = new Map<number, number>();
  #now = NOW;
  #rows = new Map<number, JobRow>();
  #changes: Change[] = [];
  /** Updates the model after the batch is stored. */
  #then: (() => void)[] = [];

  constructor(random: Chance, owner: Owner) {
    this.#random = random;
    this.#owner = owner;
  }

  get now(): number {
    return this.#now;
  }

  /** A batch, whether it is valid, and a callback after it is stored. */
  next() {
    this.#rows = new Map();
    this.#changes = [];
    this.#then = [];
    this.#now += this.#random.below(2_000);
    for (let left = 1 + this.#random.below(8); left > 0; left -= 1) this.#act();
    const fits = this.#random.below(20) > 0;
    if (!fits) this.#spoil();
    const then = this.#then;
    const stored = () => {
      for (const { after } of this.#rows.values()) this.jobs.set(after.seq, after);
      for (const make of then) make();
    };
    return { rows: [...this.#rows.values()], changes: this.#changes, fits, stored };
  }

  #act(): void {
    const acts = [
      ...[() => this.#submit(), () => this.#submit(), () => this.#move(), () => this.#move()],
      ...[() => this.#move(), () => this.#putPayload(), () => this.#appendChunks()],
      ...[
        () => this.#delete(),
        () => this.#deliver(),
        () => this.#tryDelivery(),
        () => this.#record(),
      ],
    ];
    this.#random.pick(acts)();
  }

  #submit(): void {
    if (this.jobs.size > MAX_JOBS) {
      this.#delete();
      return;
    }
    const job = this.#owner.newJob({
      endpointId: this.#random.pick(ENDPOINTS),
      lowPriority: this.#random.below(3) === 0,
      ttlMs: 10_000 + this.#random.below(100_000),
      at: this.#now,
    });
    this.#rows.set(job.seq, inserted(job));
    this.#changes.push(put(job, "input", this.#bytes()));
  }

  /** A job that no change of this batch is about, if there is one. */
  #untouched(): Job | undefined {
    const job = this.#random.pick([...this.jobs.values(), undefined]);
    const isTouched = this.#changes.some((made) => this.#isAbout(made, job?.seq));
    return job === undefined || this.#rows.has(job.seq) || isTouched ? undefined : job;
  }

  #isAbout(made: Change, seq: number | undefined): boolean {
    if (made.type === "delete-job") return made.job.seq === seq;
    return "seq" in made && made.seq === seq;
  }

  #isDeleted(seq: number): boolean {
    return this.#changes.some((made) => made.type === "delete-job" && made.job.seq === seq);
  }

  #move(): void {
    const known = this.#random.pick([...this.jobs.values(), undefined]);
    if (known === undefined || this.#isDeleted(known.seq)) return;
    const row = this.#rows.get(known.seq);
    const job = row?.after ?? known;
    const event = eventFor(this.#random.pick(EVENTS), job, this.#owner.nextSeq());
    const result = transition(job, event, this.#now);
    if (result.result === "deleted") this.#remove(job);
    if (result.result !== "changed") return;
    this.#rows.set(job.seq, { before: row === undefined ? job : row.before, after: result.job });
  }

  #putPayload(): void {
    const job = this.#untouched();
    if (job === undefined) return;
    const slot = this.#random.pick(SLOTS);
    const remove = { type: "remove-payload", ...under(job), slot } as const;
    this.#changes.push(this.#random.below(4) === 0 ? remove : put(job, slot, this.#bytes()));
  }

  #appendChunks(): void {
    const job = this.#untouched();
    if (job === undefined) return;
    const { seq } = job;
    let count = this.#chunks.get(seq) ?? 0;
    if (this.#random.below(6) === 0) {
      this.#changes.push({ type: "remove-chunks", ...under(job) });
      count = 0;
    }
    for (let left = this.#random.below(3); left > 0; left -= 1) {
      const size = this.#random.pick([3, 30, 300, FILE_BYTES]);
      const texts =
        size === FILE_BYTES && this.#random.below(20) > 0 ? ["a", ""] : ["x".repeat(size)];
      this.#changes.push({ type: "append-chunks", ...under(job), batch: batch(count, ...texts) });
      count += texts.length;
    }
    this.#then.push(() => this.#chunks.set(seq, count));
  }

  #delete(): void {
    const job = this.#untouched();
    if (job) this.#remove(job);
  }

  #remove(job: Job): void {
    this.#changes.push(deleted(job));
    if (leavesReport(job))
      this.#changes.push({ type: "put-report", report: reportOf(job, this.#now) });
    if (this.#random.below(6) === 0) this.#changes.push(this.#fewerReports());
    this.#then.push(() => {
      this.jobs.delete(job.seq);
      this.#chunks.delete(job.seq);
    });
  }

  #fewerReports(): Change {
    const endpointId = this.#random.pick(ENDPOINTS);
    const kept = { deletedAfter: this.#now - 60_000, maxCount: 9, maxBytes: 6_000 };
    return this.#random.below(3) === 0
      ? { type: "remove-reports", endpointId }
      : { type: "prune-reports", kept };
  }

  #deliver(): void {
    const job = this.#random.pick([...this.jobs.values(), undefined]);
    if (job === undefined || this.#isDeleted(job.seq)) return;
    if (this.deliveries.length > MAX_DELIVERIES) return;
    const made = this.#owner.deliveryOf(
      { ...job, retries: this.#owner.lastSeq },
      { at: this.#now },
    );
    for (const slot of SLOTS)
      this.#changes.push({ type: "share-payload", ...under(job), slot, toSeq: made.seq });
    this.#changes.push(made.insert);
  }

  #tryDelivery(): void {
    if (this.#random.below(10) === 0) {
      const kept = { settledFrom: this.#now - 60_000, maxCount: 30, maxBytes: 500_000 };
      this.#changes.push({ type: "prune-deliveries", kept });
      return;
    }
    const delivery = this.#random.pick([...this.deliveries, undefined]);
    if (delivery?.state !== "pending") return;
    const status = this.#random.pick([204, 500]);
    const tried = afterTry(delivery, { at: this.#now, durationMs: 3, status }, {}, this.#now);
    this.#changes.push({ type: "replace-delivery", delivery: tried });
  }

  #record(): void {
    const id = this.#random.pick(["a", "b", "ü"]);
    const record = { ...endpointRecord(id), version: this.#random.below(3) };
    const made = { type: "put-record", kind: "endpoint", id, record } as const;
    const remove = { type: "delete-record", kind: "endpoint", id } as const;
    const used = { type: "put-record", kind: "usage", id, record: usageOf(id) } as const;
    if (this.#random.below(3) === 0) this.#changes.push(used);
    const sshKeys = ["ssh-rsa A", "ssh-rsa B"].slice(this.#random.below(3));
    const account = { type: "put-record", kind: "account", id: "it", record: { sshKeys } } as const;
    if (this.#random.below(5) === 0) this.#changes.push(account);
    const diff = [{ field: "gpuCount", old: null, new: this.#random.below(3) }];
    const release = { id, endpointId: "a", version: 1, createdAt: "2026-01-01T00:00:00Z", diff };
    if (this.#random.below(5) === 0)
      this.#changes.push({ type: "put-record", kind: "release", id, record: release });
    this.#changes.push(this.#random.below(4) === 0 ? remove : made);
  }

  #bytes() {
    const size = this.#random.below(80) === 0 ? FILE_BYTES : this.#random.pick(SIZES);
    return size < 10_000
      ? inline("y".repeat(size))
      : ({ kind: "inline", bytes: pattern(size) } as const);
  }

  /** Adds an invalid change at a random place. */
  #spoil(): void {
    const unknown = this.#owner.newJob();
    const known = this.#random.pick([...this.jobs.values(), unknown]);
    const wrong: readonly (() => void)[] = [
      () => this.#rows.set(-1, { before: handedOver(unknown), after: unknown }),
      () =>
        this.#rows.set(
          -1,
          inserted({ ...unknown, id: known.id, seq: known === unknown ? 1e9 : unknown.seq }),
        ),
      () => this.#insertWrong(deleted(unknown)),
      () =>
        this.#insertWrong({ type: "append-chunks", ...under(known), batch: batch(9_999, "gap") }),
      () =>
        this.#insertWrong(
          put(unknown, "input", {
            kind: "file",
            name: "x",
            offset: 0,
            sizeBytes: 1,
            checksum: 1,
          }),
        ),
      () =>
        this.#insertWrong({
          type: "replace-delivery",
          delivery: this.#owner.deliveryOf(unknown).stored(),
        }),
    ];
    this.#random.pick(wrong)();
    if (this.#rows.has(-1) && known === unknown) this.#insertWrong(deleted(unknown));
  }

  #insertWrong(made: Change): void {
    this.#changes.splice(this.#random.below(this.#changes.length + 1), 0, made);
  }
}
