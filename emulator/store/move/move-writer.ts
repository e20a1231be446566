/** Gathers moved data into batches of a limited size. Each batch is written before the next one begins. */
import type { ChunkBatch } from "../../../runtime/protocol/chunk-batch.ts";
import type { JobCounts } from "../../core/jobs/job-counts.ts";
import type { Job } from "../../core/jobs/job.ts";
import type { Change, JobRow, Place } from "../batch.ts";
import type { Payload, PayloadSlot } from "../payload.ts";
import type { RecordKind, Records } from "../records.ts";
import type { Boot, Store } from "../store.ts";

const BATCH_BYTES = 8_000_000;

/** Makes a change of a staged payload. */
type StagedChange = (payload: Payload) => Change;

export class MoveWriter {
  readonly #store: Store;
  readonly #lastSeq: number;
  /** Counters of the source. They are absolute numbers, so they may be stored before and with any job. */
  readonly #counts: ReadonlyMap<string, JobCounts>;
  readonly #maxChanges: number;
  #hasStoredCounts = false;
  #number: number;
  #jobs: JobRow[] = [];
  /** For a change with bytes, `staged` is their index in `#bytes`. */
  #changes: (Change | { readonly staged: number; readonly make: StagedChange })[] = [];
  #bytes: Uint8Array[] = [];
  #sizeBytes = 0;

  /**
   * @param number number of the last batch of the target
   * @param maxChanges maximum number of changes of one batch
   */
  constructor(
    store: Store,
    number: number,
    { lastSeq, counts }: Pick<Boot, "lastSeq" | "counts">,
    maxChanges: number,
  ) {
    this.#store = store;
    this.#number = number;
    this.#maxChanges = maxChanges;
    this.#lastSeq = lastSeq;
    this.#counts = counts;
  }

  insertJob(after: Job): void {
    this.#jobs.push({ before: undefined, after });
  }

  putPayload({ seq, endpointId }: Place, slot: PayloadSlot, bytes: Uint8Array): void {
    this.#stage(bytes, (payload) => ({ type: "put-payload", seq, endpointId, slot, payload }));
  }

  async appendChunks(
    { seq, endpointId }: Place,
    { firstIndex, count, lines: bytes }: ChunkBatch,
  ): Promise<void> {
    this.#stage(bytes, (lines) => ({
      type: "append-chunks",
      seq,
      endpointId,
      batch: { firstIndex, count, lines },
    }));
    await this.flushIfFull();
  }

  putRecord<K extends RecordKind>(kind: K, id: string, record: Records[K]): void {
    this.#changes.push({ type: "put-record", kind, id, record });
  }

  deleteRecord(kind: RecordKind, id: string): void {
    this.#changes.push({ type: "delete-record", kind, id });
  }

  async add(change: Change): Promise<void> {
    this.#changes.push(change);
    await this.flushIfFull();
  }

  async flushIfFull(): Promise<void> {
    const count = this.#jobs.length + this.#changes.length;
    if (count >= this.#maxChanges || this.#sizeBytes >= BATCH_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    const staged = this.#bytes.length === 0 ? [] : await this.#store.stage(this.#bytes);
    const changes = this.#changes.map((change) => {
      if (!("make" in change)) return change;
      const payload = staged[change.staged];
      if (payload === undefined) throw new Error("the store staged fewer payloads than it got");
      return change.make(payload);
    });
    const number = this.#number + 1;
    const jobs = this.#jobs;
    const endpointIds = new Set(jobs.map(({ after }) => after.endpointId));
    const counts = this.#hasStoredCounts
      ? new Map([...this.#counts].filter(([id]) => endpointIds.has(id)))
      : this.#counts;
    await this.#store.flush({ number, lastSeq: this.#lastSeq, jobs, changes, counts });
    this.#number = number;
    this.#hasStoredCounts = true;
    this.#jobs = [];
    this.#changes = [];
    this.#bytes = [];
    this.#sizeBytes = 0;
  }

  #stage(bytes: Uint8Array, make: StagedChange): void {
    this.#changes.push({ staged: this.#bytes.length, make });
    this.#bytes.push(bytes);
    this.#sizeBytes += bytes.byteLength;
  }
}
