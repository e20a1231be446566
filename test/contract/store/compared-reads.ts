/** Every read of the port, from two stores at once. */
import assert from "node:assert/strict";
import type { JobFilter } from "../../../emulator/core/jobs/job-filter.ts";
import type { Store, StoreReads } from "../../../emulator/store/store.ts";
import { JOB_STATUSES } from "../../../runtime/protocol/job-status.ts";
import { PayloadDamagedError } from "../../../emulator/store/payload.ts";
import { everyMatch } from "./every-match.ts";
import { type Chance, ENDPOINTS, type RandomBatches } from "./random-batches.ts";
import { ALL_CHUNKS, bytesAt, textsOf, waitingJob } from "./subject.ts";

type Question = (store: Store) => Promise<unknown>;

/** A few reads of every kind, about present and former data. */
export function someQuestions(chance: Chance, known: RandomBatches, lastSeq: number): Question[] {
  const seq = chance.below(lastSeq + 2);
  const id = known.jobs.get(seq)?.id ?? "never";
  const endpointId = chance.pick(ENDPOINTS);
  const limit = chance.pick([0, 1, 3, 1_000]);
  const now = known.now + chance.below(100_000);
  const delivery = chance.pick([...known.deliveries, undefined]);
  const status = chance.pick([...JOB_STATUSES, undefined]);
  const window = { from: chance.below(4), maxCount: chance.below(5), maxBytes: chance.below(400) };
  const slot = chance.pick(["input", "output", "s3Config"] as const);
  const from = chance.pick(["", "b", "ü"]);
  const filter = someFilter(chance, known, id);
  const bounds = { limit: chance.pick([1, 3, 1_000]), maxLooked: chance.pick([40, 1_000]) };
  const listing = { limit, beforeSeq: seq, ...(status && { status }) };
  return [
    (store) => store.job(id),
    (store) => store.listJobs(endpointId, listing),
    // Each store decides the length of a page.
    async (store) => ({ ...(await everyMatch(store, filter, bounds)), questions: 0 }),
    (store) => store.jobsOf(endpointId, seq, limit),
    (store) => store.waitingJobs(endpointId, chance.seed % 2 === 0 ? seq : 0, limit),
    (store) => store.dueJobs(now, limit),
    (store) => store.nextDueAt(),
    (store) => store.oldestScalingQueuedAt(endpointId),
    (store) => bytesAt(store, seq, slot),
    async (store) => (await store.payload(seq, slot))?.sizeBytes,
    async (store) => textsOf(await store.chunks(seq, window)),
    (store) => store.isStillStored(new PayloadDamagedError({ seq, slot }, "is missing")),
    (store) => store.usage(from, limit),
    (store) => store.deliveries.byId(delivery?.id ?? "never"),
    (store) => store.deliveries.frame(delivery?.seq ?? seq),
    (store) => store.deliveries.list({ endpointId }, limit, seq),
    (store) => store.deliveries.list({ jobId: id, state: "pending" }, limit),
    (store) => store.deliveries.due(now, limit, []),
    (store) => store.deliveries.due(now, 9, ["https://one.test"]),
    (store) => store.deliveries.nextTryAt(now - 50_000),
    (store) => store.deliveries.oldestSettledAt(),
    (store) => store.deliveries.firstPending(id),
    (store) => store.reports.byId(waitingJob(seq).id),
    (store) => store.reports.list({ endpointId, idPart: String(seq) }, limit),
    (store) => store.reports.oldestDeletedAt(),
  ];
}

function someFilter(chance: Chance, known: RandomBatches, id: string): JobFilter {
  const moment = () => chance.pick([undefined, known.now - chance.below(200_000)]);
  return {
    endpointId: chance.pick([...ENDPOINTS, undefined, undefined]),
    statuses: chance.pick([undefined, [chance.pick(JOB_STATUSES), chance.pick(JOB_STATUSES)]]),
    since: moment(),
    until: moment(),
    kind: chance.pick([undefined, undefined, "async", "sync"]),
    minDelayMs: chance.pick([undefined, undefined, chance.below(5_000)]),
    minExecutionMs: chance.pick([undefined, undefined, chance.below(5_000)]),
    search: chance.pick([undefined, undefined, "0190", id.slice(-6), "e", "worker"]),
  };
}

/** All stored data. */
export function allQuestions(known: RandomBatches, lastSeq: number): Question[] {
  const seqs = Array.from({ length: lastSeq }, (_, at) => at + 1).slice(-300);
  const limit = 100_000;
  return [
    // A batch without changes may have a number or not.
    async (store) => ({ ...(await store.boot()), batch: 0, lastSeq: 0, recordsVersion: 0 }),
    (store) => store.deliveries.list({}, limit),
    (store) => store.reports.list({}, limit),
    (store) => store.dueJobs(Number.MAX_SAFE_INTEGER, limit),
    ...ENDPOINTS.flatMap((endpointId) => [
      (store: StoreReads) => store.jobsOf(endpointId, 0, limit),
      (store: StoreReads) => store.waitingJobs(endpointId, 0, limit),
      ...JOB_STATUSES.map(
        (status) => (store: StoreReads) => store.listJobs(endpointId, { status, limit }),
      ),
    ]),
    ...[...new Set([...known.jobs.keys(), ...seqs])].map((seq) => async (store: StoreReads) => [
      await bytesAt(store, seq, "input"),
      await bytesAt(store, seq, "output"),
      await bytesAt(store, seq, "s3Config"),
      textsOf(await store.chunks(seq, ALL_CHUNKS)),
    ]),
  ];
}

/** @throws AssertionError if two stores answer differently */
export async function compare(one: Store, two: Store, questions: readonly Question[]) {
  const ask = (store: Store) => Promise.all(questions.map((question) => question(store)));
  const [first, second] = await Promise.all([ask(one), ask(two)]);
  for (const [at, answer] of first.entries())
    assert.deepStrictEqual(second[at], answer, String(questions[at]));
}
