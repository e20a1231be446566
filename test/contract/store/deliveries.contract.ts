/** Contract of the store: webhook deliveries, their orders, their retention, and their copies of payloads. */
import { expect, it } from "vitest";
import {
  afterTry,
  type Delivery,
  type DeliveryFilter,
  dueAgain,
} from "../../../emulator/core/webhooks/delivery.ts";
import type { Change } from "../../../emulator/store/batch.ts";
import { BatchRefusedError } from "../../../emulator/store/store.ts";
import {
  bytesAt,
  deleted,
  type DeliveryWishes,
  inline,
  inserted,
  NOW,
  type OpenSubject,
  Owner,
  pattern,
  put,
  stageOne,
  under,
} from "./subject.ts";

const HEADERS = { "webhook-id": "msg", "webhook-signature": "v1,ü" };
const KEPT = { settledFrom: 0, maxCount: 1_000, maxBytes: 1_000_000 };

const replaced = (delivery: Delivery): Change => ({ type: "replace-delivery", delivery });
const pruned = (kept: Partial<typeof KEPT>): Change => ({
  type: "prune-deliveries",
  kept: { ...KEPT, ...kept },
});
const ids = (deliveries: readonly Delivery[]) => deliveries.map(({ id }) => id);

/** Stores a delivery for the end of a new job. */
async function deliverNew(owner: Owner, wishes?: DeliveryWishes): Promise<Delivery> {
  const made = owner.deliveryOf(await owner.insert(), wishes);
  await owner.change(made.insert);
  return made.stored();
}

async function settle(owner: Owner, delivery: Delivery, at = NOW): Promise<Delivery> {
  const settled = afterTry(delivery, { at, durationMs: 1, status: 204 }, HEADERS, at);
  await owner.change(replaced(settled));
  return settled;
}

export function deliveriesContract(open: OpenSubject): void {
  it("a delivery comes back equal in every field, before and after tries, with its frame", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const { deliveries } = subject.store;
    const fresh = await deliverNew(owner);
    expect(await deliveries.byId(fresh.id)).toStrictEqual(fresh);
    const failure = { at: NOW, durationMs: 12, error: "no answer" };
    const failed = afterTry(fresh, failure, HEADERS, NOW + 12);
    await owner.change(replaced(failed));
    expect(await deliveries.byId(fresh.id)).toStrictEqual(failed);
    const settled = await settle(owner, failed, NOW + 10_012);
    expect(await deliveries.byId(fresh.id)).toStrictEqual(settled);
    expect(settled.tries).toHaveLength(2);
    const frame = await deliveries.frame(fresh.seq);
    expect(frame?.tail).toBe(',"webhook":"https://one.test/hook?a=ü","input":');
    expect(await deliveries.byId("never")).toBeUndefined();
    expect(await deliveries.frame(-1)).toBeUndefined();
  });

  it("the size of a delivery is the size of its frame and of the payloads that it shares", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const job = owner.newJob();
    const made = owner.deliveryOf(job);
    const share = (slot: "input" | "output"): Change => ({
      ...{ type: "share-payload", ...under(job), slot, toSeq: made.seq },
    });
    await owner.flush(
      [inserted(job)],
      [put(job, "input", inline("12345")), share("input"), share("output"), made.insert],
    );
    expect(await subject.store.deliveries.list({}, 9)).toStrictEqual([made.stored(5)]);
  });

  it("replacing a missing delivery is refused, and so is storing an existing one again", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const delivery = await deliverNew(owner);
    const another = owner.deliveryOf(await owner.insert());
    for (const wrong of [
      replaced({ ...delivery, seq: delivery.seq + 99 }),
      { ...another.insert, delivery: { ...another.stored(), id: delivery.id } } as Change,
      { ...another.insert, delivery: { ...another.stored(), seq: delivery.seq } } as Change,
    ]) {
      const refused = owner.change(another.insert, wrong);
      await expect(refused).rejects.toBeInstanceOf(BatchRefusedError);
    }
    expect(await subject.store.deliveries.list({}, 9)).toEqual([delivery]);
  });

  it("due deliveries come in order of their due times, without excluded origins", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const { deliveries } = subject.store;
    const late = await deliverNew(owner, { at: NOW + 2 });
    const early = await deliverNew(owner, { at: NOW });
    const other = await deliverNew(owner, { at: NOW + 1, url: "http://two.test:81/x" });
    const due = async (now: number, limit: number, except: string[] = []) =>
      ids(await deliveries.due(now, limit, except));
    expect(await due(NOW - 1, 9)).toEqual([]);
    expect(await due(NOW + 1, 9)).toEqual([early.id, other.id]);
    expect(await due(NOW + 9, 2)).toEqual([early.id, other.id]);
    expect(await due(NOW + 9, 9, ["https://one.test"])).toEqual([other.id]);
    expect(await due(NOW + 9, 9, ["http://two.test:81"])).toEqual([early.id, late.id]);
    expect(await deliveries.nextTryAt(NOW - 1)).toBe(NOW);
    expect(await deliveries.nextTryAt(NOW)).toBe(NOW + 1);
    expect(await deliveries.nextTryAt(NOW + 2)).toBeUndefined();
    await settle(owner, early);
    expect(await due(NOW + 9, 9)).toEqual([other.id, late.id]);
  });

  it("the oldest pending delivery of a job is found, also while another one waits for it", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const { deliveries } = subject.store;
    const job = await owner.insert();
    await deliverNew(owner);
    const first = owner.deliveryOf(job);
    const second = owner.deliveryOf({ ...job, retries: 1 }, { isFirst: false });
    await owner.change(first.insert, second.insert);
    expect(await deliveries.firstPending(job.id)).toEqual(first.stored());
    expect(await deliveries.due(NOW, 9, [])).not.toContainEqual(second.stored());
    await settle(owner, first.stored());
    expect(await deliveries.firstPending(job.id)).toEqual(second.stored());
    await owner.change(replaced(dueAgain(second.stored(), NOW + 1)));
    expect(await deliveries.due(NOW + 1, 9, [])).toHaveLength(2);
    await settle(owner, second.stored());
    expect(await deliveries.firstPending(job.id)).toBeUndefined();
  });

  it("deliveries are listed newest first, page by page, by job, endpoint and state", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const [job, elsewhere] = await owner.insertMany({}, { endpointId: "another" });
    if (!job || !elsewhere) throw new Error("two jobs were made");
    const made = [job, elsewhere, { ...job, retries: 1 }, await owner.insert()].map((of) =>
      owner.deliveryOf(of),
    );
    await owner.change(...made.map(({ insert }) => insert));
    const [a, b, c, d] = made.map(({ stored }) => stored());
    if (a) await settle(owner, a);
    const list = async (filter: DeliveryFilter, limit = 9, before?: number) =>
      ids(await subject.store.deliveries.list(filter, limit, before));
    expect(await list({})).toEqual([d?.id, c?.id, b?.id, a?.id]);
    expect(await list({}, 2)).toEqual([d?.id, c?.id]);
    expect(await list({}, 2, c?.seq)).toEqual([b?.id, a?.id]);
    expect(await list({ jobId: a?.jobId })).toEqual([c?.id, a?.id]);
    expect(await list({ endpointId: "another" })).toEqual([b?.id]);
    expect(await list({ state: "delivered" })).toEqual([a?.id]);
    expect(await list({ state: "pending", jobId: a?.jobId })).toEqual([c?.id]);
    expect(await list({ state: "failed" })).toEqual([]);
  });

  it("pruning keeps pending deliveries, and the newest settled ones within the limits of count, size and age", async () => {
    await using subject = await open();
    const owner = await Owner.of(subject.store);
    const { deliveries } = subject.store;
    const made: Delivery[] = [];
    for (let count = 0; count < 7; count += 1) made.push(await deliverNew(owner));
    const [pending, ...others] = made;
    for (const [index, delivery] of others.entries())
      await settle(owner, delivery, NOW + 1 + index);
    const left = async (kept: Partial<typeof KEPT>) => {
      await owner.change(pruned(kept));
      return ids(await deliveries.list({}, 9));
    };
    const newest = (count: number) => [...ids(made).slice(-count).toReversed(), pending?.id];
    const each = pending?.sizeBytes ?? 0;
    expect(await left({})).toEqual(newest(6));
    expect(await left({ maxBytes: 5 * each })).toEqual(newest(5));
    expect(await left({ maxCount: 4 })).toEqual(newest(4));
    expect(await left({ maxBytes: 4 * each - 1 })).toEqual(newest(3));
    expect(await deliveries.oldestSettledAt()).toBe(NOW + 4);
    expect(await left({ settledFrom: NOW + 5 })).toEqual(newest(2));
    expect(await left({ maxCount: 0 })).toEqual([pending?.id]);
    expect(await deliveries.oldestSettledAt()).toBeUndefined();
  });

  it.each(["small", "large"])(
    "a %s shared payload is unchanged when the job's payload is replaced or the job is deleted",
    async (size) => {
      await using subject = await open();
      const { store } = subject;
      const owner = await Owner.of(store);
      const bytes = pattern(size === "large" ? 400_000 : 1_000);
      const job = owner.newJob();
      const made = owner.deliveryOf(job);
      const share = {
        type: "share-payload",
        ...under(job),
        slot: "output",
        toSeq: made.seq,
      } as const;
      const output = put(job, "output", await stageOne(store, bytes));
      await owner.flush([inserted(job)], [output, share, made.insert]);
      const expectShared = async () =>
        expect((await bytesAt(store, made.seq, "output"))?.equals(bytes)).toBe(true);
      await owner.change(put(job, "output", inline("another")));
      await expectShared();
      await owner.change(deleted(job));
      await expectShared();
      await settle(owner, made.stored(bytes.length));
      await owner.change(pruned({ maxCount: 0 }));
      expect(await store.payload(made.seq, "output")).toBeUndefined();
    },
  );

  it("the job's payload stays when the delivery that shares it is pruned first", async () => {
    await using subject = await open();
    const { store } = subject;
    const owner = await Owner.of(store);
    const bytes = pattern(400_000);
    const job = owner.newJob();
    const made = owner.deliveryOf(job);
    const share = { type: "share-payload", ...under(job), slot: "input", toSeq: made.seq } as const;
    const input = put(job, "input", await stageOne(store, bytes));
    await owner.flush([inserted(job)], [input, share, made.insert]);
    await settle(owner, made.stored(bytes.length));
    await owner.change(pruned({ maxCount: 0 }));
    expect((await bytesAt(store, job.seq, "input"))?.equals(bytes)).toBe(true);
  });
}
