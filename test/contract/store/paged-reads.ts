/** Every paged read of a store: its starts, one page, and the start of the next page. */
import assert from "node:assert/strict";
import { dueAt } from "../../../emulator/core/jobs/job-due.ts";
import type { JobFilter } from "../../../emulator/core/jobs/job-filter.ts";
import type { Job } from "../../../emulator/core/jobs/job.ts";
import type { Store } from "../../../emulator/store/store.ts";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import type { ChunkBatch, ChunkWindow } from "../../../runtime/protocol/chunk-batch.ts";
import { ENDPOINTS } from "./random-batches.ts";
import { textsOf } from "./subject.ts";

const ALL = 1_000_000;

interface Page<S> {
  readonly rows: readonly unknown[];
  /** Start of the next page; undefined for none. */
  readonly next: S | undefined;
}

/** A read that returns pages, or only its first page. */
interface PagedRead<S> {
  readonly name: string;
  readonly starts: readonly S[];
  readonly page: (store: Store, start: S, rows: number) => Promise<Page<S>>;
  readonly isFirstPageOnly?: boolean;
  /** Each store decides the length of a page. */
  readonly isAsFarAsItComes?: boolean;
}

/** A paged read with the type of its starts forgotten. */
export interface Starts {
  readonly name: string;
  /** Compares the page from each start. Returns the number of starts. */
  readonly all: (stores: Stores, rows: number) => Promise<number>;
}

export interface Stores {
  readonly truth: Store;
  readonly others: readonly Store[];
}

/** Data for the starts. */
export interface Held {
  readonly jobs: readonly Job[];
  /** Keys of jobs with a stream. */
  readonly streams: readonly number[];
  readonly usageIds: readonly string[];
  readonly filters: readonly JobFilter[];
}

export async function everyPagedRead(truth: Store, held: Held): Promise<readonly Starts[]> {
  const deliveries = await truth.deliveries.list({}, ALL);
  const moments = [...new Set(deliveries.flatMap(({ nextTryAt }) => nextTryAt ?? []))];
  const dues = [...new Set((await truth.dueJobs(Number.MAX_SAFE_INTEGER, ALL)).map(dueAt))];
  const seqs = around(held.jobs.map(({ seq }) => seq));
  return [
    ...(await Promise.all(held.streams.map((seq) => chunkReads(truth, seq)))).flat(),
    ...ENDPOINTS.flatMap((endpointId) => jobReads(endpointId, held, seqs)),
    ...held.filters.flatMap((filter) => searches(filter, seqs)),
    fromEach({
      name: "due jobs",
      starts: [...dues, 0, Number.MAX_SAFE_INTEGER],
      page: async (store, now, rows) => onlyPage(await store.dueJobs(now, rows)),
      isFirstPageOnly: true,
    }),
    ...[{}, { state: "pending" } as const, { endpointId: ENDPOINTS[0] }].map((filter) =>
      fromEach({
        name: `deliveries ${JSON.stringify(filter)}`,
        starts: around(deliveries.map(({ seq }) => seq)),
        page: async (store, before, rows) => {
          const found = await store.deliveries.list(filter, rows, before);
          return { rows: found, next: found.at(-1)?.seq };
        },
      }),
    ),
    ...[[], ["https://one.test"]].map((except) =>
      fromEach({
        name: `due deliveries, but to ${except.join()}`,
        starts: [...moments, 0, Number.MAX_SAFE_INTEGER],
        page: async (store, now, rows) => onlyPage(await store.deliveries.due(now, rows, except)),
        isFirstPageOnly: true,
      }),
    ),
    fromEach({
      name: "records of use",
      starts: ["", ...held.usageIds.flatMap((id) => [id, `${id}\u0001`])],
      page: async (store, from, rows) => {
        const found = await store.usage(from, rows + 1);
        return { rows: found.slice(0, rows), next: found[rows]?.id };
      },
    }),
    ...[{}, { endpointId: ENDPOINTS[1] }, { idPart: "0190" }].map((filter) =>
      fromEach({
        name: `reports ${JSON.stringify(filter)}`,
        starts: [0],
        page: async (store, _start, rows) => onlyPage(await store.reports.list(filter, rows)),
        isFirstPageOnly: true,
      }),
    ),
  ];
}

async function chunkReads(truth: Store, seq: number): Promise<readonly Starts[]> {
  const every = { from: 0, maxCount: ALL, maxBytes: Number.MAX_SAFE_INTEGER };
  const count = textsOf(await truth.chunks(seq, every)).length;
  const starts = Array.from({ length: count + 3 }, (_, from) => from);
  const inWindows = (name: string, windowOf: (rows: number) => Omit<ChunkWindow, "from">) =>
    fromEach<number>({
      name: `chunks of job ${seq}, ${name}`,
      starts,
      page: async (store, from, rows) => {
        const batches = await store.chunks(seq, { ...windowOf(rows), from });
        return { rows: numbered(batches), next: endOf(batches) };
      },
    });
  return [
    inWindows("so many at a time", (rows) => ({ ...every, maxCount: rows })),
    inWindows("so many bytes at a time", (rows) => ({ ...every, maxBytes: 12 * rows })),
    inWindows("all at once", () => every),
  ];
}

function endOf(batches: readonly ChunkBatch[]): number | undefined {
  const last = batches.at(-1);
  return last && last.firstIndex + last.count;
}

/** Each chunk with its index, whatever its batch. */
function numbered(batches: readonly ChunkBatch[]): readonly unknown[] {
  return batches.flatMap((batch) =>
    textsOf([batch]).map((text, at) => [batch.firstIndex + at, text]),
  );
}

function jobReads(endpointId: string, held: Held, seqs: readonly number[]): readonly Starts[] {
  const own = held.jobs.filter((job) => job.endpointId === endpointId);
  const keys = own.map(({ queueKey }) => queueKey);
  return [
    fromEach({
      name: `jobs of ${endpointId}`,
      starts: [0, ...seqs],
      page: async (store, after, rows) => {
        const found = await store.jobsOf(endpointId, after, rows);
        return { rows: found, next: found.at(-1)?.seq };
      },
    }),
    fromEach({
      name: `waiting jobs of ${endpointId}`,
      starts: [0, ...around(keys)],
      page: async (store, after, rows) => {
        const found = await store.waitingJobs(endpointId, after, rows);
        return { rows: found, next: found.at(-1)?.queueKey };
      },
    }),
    ...[undefined, ...JOB_STATUSES].map((status) =>
      fromEach({
        name: `requests of ${endpointId} in ${status}`,
        starts: seqs,
        page: async (store, beforeSeq, limit) => {
          const listing = { beforeSeq, limit, ...(status && { status }) };
          const found = await store.listJobs(endpointId, listing);
          return { rows: found, next: found.at(-1)?.seq };
        },
      }),
    ),
  ];
}

/** The limits of matching and of examined jobs. */
function searches(filter: JobFilter, seqs: readonly number[]): readonly Starts[] {
  const name = JSON.stringify(filter);
  const bounds = { limit: ALL, maxLooked: ALL };
  return [
    fromEach({
      name: `jobs that fit ${name}`,
      starts: seqs,
      page: async (store, beforeSeq, limit) => {
        const found = await store.findJobs({ filter, ...bounds, beforeSeq, limit });
        return { rows: found.jobs, next: found.nextSeq };
      },
    }),
    fromEach({
      name: `jobs looked at for ${name}`,
      starts: seqs,
      page: async (store, beforeSeq, maxLooked) => {
        const found = await store.findJobs({ filter, ...bounds, beforeSeq, maxLooked });
        const counted = await store.countJobs({ filter, ...bounds, beforeSeq, maxLooked });
        assert.deepStrictEqual(counted, { count: found.jobs.length, nextSeq: found.nextSeq });
        return { rows: found.jobs, next: found.nextSeq };
      },
      isAsFarAsItComes: true,
    }),
  ];
}

function fromEach<S extends number | string>(read: PagedRead<S>): Starts {
  return {
    name: read.name,
    async all(stores, rows) {
      const starts = new Set(read.starts);
      for (const start of starts) await compare(read, stores, start, rows);
      return starts.size;
    },
  };
}

/** @throws AssertionError if a page with all following pages differs from the unpaged answer of the memory store */
async function compare<S extends number | string>(
  { name, page, isFirstPageOnly = false, isAsFarAsItComes = false }: PagedRead<S>,
  { truth, others }: Stores,
  start: S,
  rows: number,
): Promise<void> {
  const { rows: whole } = await page(truth, start, ALL);
  const { rows: told } = await page(truth, start, rows);
  for (const [at, store] of [truth, ...others].entries()) {
    const first = await page(store, start, rows);
    const rest = first.next === undefined ? [] : (await page(store, first.next, ALL)).rows;
    const expected = isFirstPageOnly ? whole.slice(0, rows) : whole;
    const where = `store ${at}: ${name} from ${start}, ${rows} at a time`;
    assert.deepStrictEqual([...first.rows, ...rest], expected, where);
    if (!isAsFarAsItComes) assert.deepStrictEqual(first.rows, told, where);
  }
}

function onlyPage<S>(rows: readonly unknown[]): Page<S> {
  return { rows, next: undefined };
}

/** Each value and its neighbours. */
function around(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers.flatMap((number) => [number - 1, number, number + 1]))];
}
