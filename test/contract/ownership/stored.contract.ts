/** Stored data: its readers, its only writer, and its keys. */
import { expect, it } from "vitest";
import { PartitionsLostError } from "../../../emulator/store/store.ts";
import { inserted, NOW, put } from "../store/subject.ts";
import {
  begun,
  endpointOf,
  type OpenShared,
  seqsIn,
  spread,
  spreadOverTwo,
} from "./shared-subject.ts";

export function storedContract(open: OpenShared): void {
  it("a start reads the records, but no partition", async () => {
    await using subject = await open();
    const one = await begun(subject);
    await one.insert("a");
    await one.putRecord("a");
    const booted = await (await subject.join("long")).store.boot();
    expect(booted).toMatchObject({ counts: new Map(), running: [] });
    expect(booted.records.endpoint.get("a")).toBeDefined();
    expect(booted.recordsVersion).toBe(one.recordsVersion);
    expect(booted.lastSeq).toBe(one.keys.at(-1));
  });

  it("every replica reads all jobs, also of unknown endpoints; only the owner gets due jobs", async () => {
    await using subject = await open();
    const members = await spreadOverTwo(subject);
    const [one, two] = members;
    const [mine, theirs] = [endpointOf(one), endpointOf(two)];
    const jobs = [await one.insert(mine), await two.insert(theirs)];
    for (const each of members) {
      for (const job of jobs) {
        expect(await each.store.job(job.id)).toEqual(job);
        expect(await each.store.listJobs(job.endpointId, { limit: 9 })).toEqual([job]);
        expect(await each.store.waitingJobs(job.endpointId, 0, 9)).toEqual([job]);
      }
      const window = { filter: { statuses: ["IN_QUEUE"] }, limit: 9, maxLooked: 99 } as const;
      expect((await each.store.findJobs(window)).jobs).toHaveLength(2);
      const own = jobs.filter(({ endpointId }) => each.has(endpointId));
      expect(await each.store.dueJobs(NOW + 1e9, 9)).toEqual(own);
      expect(await each.store.nextDueAt()).toBe(NOW + 86_400_000);
    }
  });

  it("every replica reads all deliveries; only their owner gets due ones, and only the service's owner prunes them", async () => {
    await using subject = await open();
    const members = await spreadOverTwo(subject);
    const [one, two] = members;
    const job = await one.insert(endpointOf(one));
    const id = await one.deliver(job);
    expect((await two.store.deliveries.byId(id))?.id).toBe(id);
    for (const each of members) {
      const own = each === one ? [id] : [];
      const ids = async (found: Promise<readonly { readonly id: string }[]>) =>
        (await found).map((delivery) => delivery.id);
      expect(await ids(each.store.deliveries.due(NOW + 1e9, 9, []))).toEqual(own);
      expect(await each.store.deliveries.nextTryAt(0)).toBe(each === one ? NOW : undefined);
      expect((await each.store.deliveries.firstPending(job.id))?.id).toBe(own[0]);
    }
    const service = members.find(({ partitions }) => partitions.has(0)) ?? expect.unreachable();
    const other = members.find((each) => each !== service) ?? expect.unreachable();
    const prune = {
      type: "prune-deliveries",
      kept: { settledFrom: NOW, maxCount: 0, maxBytes: 0 },
    } as const;
    await service.flush([], { changes: [prune] });
    await expect(other.flush([], { changes: [prune] })).rejects.toBeInstanceOf(PartitionsLostError);
  });

  it("a batch with another replica's partition is not stored, and the error names the partition", async () => {
    await using subject = await open();
    const members = await spreadOverTwo(subject);
    const [one, two] = members;
    const [mine, theirs] = [endpointOf(one), endpointOf(two)];
    const refused = one.flush([mine, theirs].map((id) => inserted(one.newJob(id))));
    await expect(refused).rejects.toBeInstanceOf(PartitionsLostError);
    await expect(refused).rejects.toMatchObject({
      partitions: new Set([one.ownership.partitionOf(theirs)]),
    });
    const job = await two.insert(theirs);
    const foreign = { changes: [put(job, "output", { kind: "inline", bytes: Buffer.of(1) })] };
    await expect(one.flush([], foreign)).rejects.toBeInstanceOf(PartitionsLostError);
    expect(await one.store.job(job.id)).toEqual(job);
    expect(await seqsIn(two, mine)).toEqual([]);
    // The replica's own partition in the refused batch is still its own.
    await one.insert(mine);
    expect(one.losses).toEqual([]);
  });

  it("keys ascend across moves, and no key is used twice", async () => {
    await using subject = await open();
    let members = [await begun(subject)];
    const seqs: number[] = [];
    const give = async () => {
      for (const each of members)
        if (each.has("hello")) seqs.push((await each.insert("hello")).seq);
      for (const each of members)
        for (let given = 0; given < 3; given += 1) await each.insert(endpointOf(each, "hello"));
    };
    for (let round = 0; round < 2; round += 1) {
      await give();
      members.push(await begun(subject));
      await spread(members);
      await give();
      await members[0]?.ownership.end("stop");
      members = members.slice(1);
      await spread(members);
    }
    expect(seqs).toHaveLength(4);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    const [last] = members;
    const found = await last?.store.findJobs({ filter: {}, limit: 999, maxLooked: 9_999 });
    const all = found?.jobs.map(({ seq }) => seq) ?? [];
    expect(new Set(all).size).toBe(all.length);
  });

  it("replicas that create keys at the same time create different keys", async () => {
    await using subject = await open();
    const members = [await begun(subject), await begun(subject)];
    await spread(members);
    for (let given = 0; given < 20; given += 1)
      await Promise.all(members.map((each) => each.insert(endpointOf(each))));
    const keys = members.flatMap((each) => each.keys);
    expect(new Set(keys).size).toBe(40);
  });
}
