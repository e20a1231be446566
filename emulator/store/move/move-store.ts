/**
 * Copies one store into an empty one, through the port alone. A record in the target marks the move as unfinished. An interrupted
 * move resumes, and skips what it has already copied.
 */
import type { ChunkWindow } from "../../../runtime/protocol/chunk-batch.ts";
import { StoreUnusableError } from "../../core/store-error.ts";
import type { Job } from "../../core/jobs/job.ts";
import { MOVE_ID, type UnfinishedMove } from "../../core/unfinished-move.ts";
import type { Delivery } from "../../core/webhooks/delivery.ts";
import type { Place } from "../batch.ts";
import type { PayloadSlot } from "../payload.ts";
import type { RecordKind, Records } from "../records.ts";
import type { Boot, Store } from "../store.ts";
import { countsOf, type KeptCounts, refuseOtherCounts } from "./kept-counts.ts";
import { MoveWriter } from "./move-writer.ts";

const ALL = 1_000_000_000;
const SLOTS: readonly PayloadSlot[] = ["input", "output", "s3Config"];
const CHUNK_BYTES = 4_000_000;

export interface MoveOptions {
  readonly from: Store;
  readonly to: Store;
  /** Absolute path of the data directory to be moved. */
  readonly directory: string;
  /** Number of changes in one batch. Default: 1,000. */
  readonly batchChanges?: number;
  /** Maximum number of jobs, deliveries or chunks of one read. Default: 500. */
  readonly page?: number;
  /** Called from time to time with the number of copied jobs. */
  readonly progress?: (jobs: number) => void;
}

/**
 * Resolves with the counts of the target. Only reads the source.
 *
 * @throws StoreUnusableError if the target is not empty, or incomplete at the end; what either store throws, such as
 *   PayloadDamagedError of the source
 */
export async function moveStore(options: MoveOptions): Promise<KeptCounts> {
  const { from, to, directory, batchChanges = 1_000 } = options;
  const source = await from.boot();
  const target = await to.boot();
  const mark = moveMark(directory, source);
  const isResumed = await refuseUsed(to, target, mark.record);
  const writer = new MoveWriter(to, target.batch, source, batchChanges);
  await writer.add(mark);
  await writer.flush();
  await new Mover(options, writer, isResumed).moveAll(source);
  await writer.flush();
  const counts = await countsOf(from, options.page);
  refuseOtherCounts(counts, await countsOf(to, options.page));
  writer.deleteRecord("unfinishedMove", MOVE_ID);
  await writer.flush();
  return counts;
}

/** Makes the record that prevents emulators from starting on the target before the move is finished. */
export function moveMark(from: string, { batch }: Pick<Boot, "batch">) {
  return {
    type: "put-record",
    kind: "unfinishedMove",
    id: MOVE_ID,
    record: { from, batch },
  } as const;
}

/** Returns whether an interrupted move has to be finished. @throws StoreUnusableError for a target with other data */
async function refuseUsed(to: Store, target: Boot, move: UnfinishedMove): Promise<boolean> {
  const begun = target.records.unfinishedMove.get(MOVE_ID);
  if (begun?.from === move.from && begun.batch === move.batch) return target.lastSeq > 0;
  const anew = "empty the database (DROP SCHEMA, or a new database) and start again";
  if (begun?.from === move.from)
    throw new StoreUnusableError(
      `${move.from} was used after its move into this store began; ${anew}`,
    );
  if (begun !== undefined)
    throw new StoreUnusableError(
      `a move of ${begun.from} into this store is unfinished; finish it, or ${anew}`,
    );
  const hasRecords = Object.values(target.records).some(({ size }) => size > 0);
  if (!hasRecords && target.lastSeq === 0 && (await to.usage("", 1)).length === 0) return false;
  throw new StoreUnusableError(
    "the store is not empty, and a data directory can only be moved into an empty one; name another database or schema",
  );
}

class Mover {
  readonly #from: Store;
  readonly #to: Store;
  readonly #writer: MoveWriter;
  readonly #isResumed: boolean;
  readonly #progress: (jobs: number) => void;
  readonly #page: number;
  #jobs = 0;

  constructor(
    { from, to, page = 500, progress = () => undefined }: MoveOptions,
    writer: MoveWriter,
    isResumed: boolean,
  ) {
    this.#from = from;
    this.#to = to;
    this.#writer = writer;
    this.#isResumed = isResumed;
    this.#progress = progress;
    this.#page = page;
  }

  async moveAll({ counts, records }: Boot): Promise<void> {
    for (const [kind, all] of Object.entries(records) as [RecordKind, RecordMap][])
      for (const [id, record] of all) this.#writer.putRecord(kind, id, record);
    for (const usage of await this.#from.usage()) this.#writer.putRecord("usage", usage.id, usage);
    for (const endpointId of counts.keys()) await this.#moveJobs(endpointId);
    await this.#moveDeliveries();
    for (const report of await this.#from.reports.list({}, ALL))
      await this.#writer.add({ type: "put-report", report });
  }

  async #moveJobs(endpointId: string): Promise<void> {
    for (let after = 0; ;) {
      const jobs = await this.#from.jobsOf(endpointId, after, this.#page);
      if (jobs.length === 0) return;
      const there = this.#isResumed ? await this.#to.jobsOf(endpointId, after, this.#page) : [];
      const seqs = new Set(there.map(({ seq }) => seq));
      for (const job of jobs) await this.#moveJob(job, seqs.has(job.seq));
      after = jobs.at(-1)?.seq ?? after;
      this.#jobs += jobs.length;
      this.#progress(this.#jobs);
    }
  }

  /** The row and the payloads of a job are stored together; some of its chunks may be missing. */
  async #moveJob(job: Job, isThere: boolean): Promise<void> {
    const { seq } = job;
    if (!isThere) {
      this.#writer.insertJob(job);
      for (const slot of SLOTS) await this.#movePayload(job, slot);
      await this.#writer.flushIfFull();
    }
    for (let next = isThere ? await this.#chunksThere(seq) : 0; ;) {
      const batches = await this.#from.chunks(seq, this.#window(next));
      if (batches.length === 0) return;
      for (const batch of batches) {
        await this.#writer.appendChunks(job, batch);
        next = batch.firstIndex + batch.count;
      }
    }
  }

  async #chunksThere(seq: number): Promise<number> {
    for (let next = 0; ;) {
      const last = (await this.#to.chunks(seq, this.#window(next))).at(-1);
      if (last === undefined) return next;
      next = last.firstIndex + last.count;
    }
  }

  #window(from: number): ChunkWindow {
    return { from, maxCount: this.#page, maxBytes: CHUNK_BYTES };
  }

  async #movePayload(place: Place, slot: PayloadSlot): Promise<void> {
    const bytes = await (await this.#from.payload(place.seq, slot))?.bytes();
    if (bytes !== undefined) this.#writer.putPayload(place, slot, bytes);
  }

  async #moveDeliveries(): Promise<void> {
    for (let before: number | undefined; ;) {
      const found = await this.#from.deliveries.list({}, this.#page, before);
      if (found.length === 0) return;
      for (const delivery of found) await this.#moveDelivery(delivery);
      before = found.at(-1)?.seq;
    }
  }

  /** The payloads come first: the size of the delivery includes them. */
  async #moveDelivery({ sizeBytes: _sizeBytes, ...delivery }: Delivery): Promise<void> {
    const { seq, id } = delivery;
    if (this.#isResumed && (await this.#to.deliveries.byId(id)) !== undefined) return;
    const frame = await this.#from.deliveries.frame(seq);
    if (frame === undefined) throw new StoreUnusableError(`the delivery ${id} has no body`);
    for (const slot of SLOTS) await this.#movePayload(delivery, slot);
    await this.#writer.add({ type: "insert-delivery", delivery, frame });
  }
}

type RecordMap = ReadonlyMap<string, Records[RecordKind]>;
