/** Partitions: each has one owner at a time, whatever happens to the replicas. */
import { expect, it } from "vitest";
import { PartitionsLostError } from "../../../emulator/store/store.ts";
import { handedOver } from "../store/subject.ts";
import {
  begun,
  endpointOf,
  member,
  type OpenShared,
  PARTITIONS,
  POLLED,
  seqsIn,
  spread,
} from "./shared-subject.ts";

export function partitionsContract(open: OpenShared): void {
  it("a single replica owns all partitions once it has begun", async () => {
    await using subject = await open();
    const one = await member(subject);
    expect(one.ownership.owns("any")).toBe(false);
    await one.ownership.begin(one);
    expect(one.partitions.size).toBe(PARTITIONS);
    expect([one.ownership.owns("any"), one.ownership.ownsService()]).toEqual([true, true]);
    expect(one.ownership.ownerOf("any")).toEqual(one.ownership.self);
    expect(one.ownership.serviceOwner()).toEqual(one.ownership.self);
  });

  it("partitions are spread over two and over three replicas, and every replica knows each owner", async () => {
    await using subject = await open();
    const two = [await begun(subject), await begun(subject)];
    await spread(two);
    const three = [...two, await begun(subject)];
    await spread(three);
    for (const each of three) {
      const known = () =>
        each.ownership
          .replicas()
          .map(({ id, partitions }) => ({ id, partitions: [...partitions] }));
      const actual = () =>
        three.map(({ ownership, partitions }) => ({
          id: ownership.self.id,
          partitions: [...partitions].toSorted((a, b) => a - b),
        }));
      const byId = (list: readonly { readonly id: string }[]) =>
        list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      await expect.poll(() => byId(known()), POLLED).toEqual(byId(actual()));
      for (const other of three) {
        const id = endpointOf(other);
        expect(each.ownership.owns(id)).toBe(each === other);
        expect(each.ownership.ownerOf(id)).toEqual(other.ownership.self);
      }
    }
    // The moved partitions were idle before, a few at a time.
    expect(two.flatMap(({ losses }) => losses)).toEqual([]);
    for (const { left } of two)
      for (const { partitions, when } of left)
        expect([partitions.length <= 8, when]).toEqual([true, "idle"]);
  });

  it("an ending replica releases each partition, and the others take them at once", async () => {
    await using subject = await open();
    const [one, two] = [await begun(subject), await begun(subject)];
    await spread([one, two]);
    const watched = two.ownership.moved(new AbortController().signal);
    const held = [...one.partitions].toSorted((a, b) => a - b);
    const before = one.left.length;
    await one.ownership.end("now");
    await watched;
    expect(one.left.slice(before)).toEqual(
      held.map((partition) => ({ partitions: [partition], when: "now" })),
    );
    await expect.poll(() => two.partitions.size, POLLED).toBe(PARTITIONS);
    expect(one.ownership.owns("any")).toBe(false);
    expect(one.ownership.ownerOf(endpointOf(two))).toEqual(two.ownership.self);
    await one.joined.close();
    await expect.poll(() => two.ownership.replicas().length, POLLED).toBe(1);
  });

  it("a stopping replica keeps a busy partition until its work ends, and accepts jobs for it meanwhile", async () => {
    await using subject = await open();
    const [one, two] = [await begun(subject), await begun(subject)];
    await spread([one, two]);
    const id = endpointOf(one);
    const partition = one.ownership.partitionOf(id);
    const over = Promise.withResolvers<void>();
    one.busy.set(partition, over.promise);
    const before = await one.insert(id);
    const ended = one.ownership.end("stop");
    await expect.poll(() => two.partitions.size, POLLED).toBe(PARTITIONS - 1);
    expect([one.ownership.owns(id), [...one.partitions]]).toEqual([true, [partition]]);
    expect(two.ownership.ownerOf(id)).toEqual(one.ownership.self);
    const meanwhile = await one.insert(id);
    await two.insert(endpointOf(two));
    over.resolve();
    await ended;
    await expect.poll(() => two.partitions.size, POLLED).toBe(PARTITIONS);
    expect(await seqsIn(two, id)).toEqual([before.seq, meanwhile.seq]);
    await two.insert(id);
    expect(two.counts.get(id)?.inQueue).toBe(3);
    expect([one.losses, two.losses]).toEqual([[], []]);
  });

  it("the others take a killed replica's partitions once its lease ends", async () => {
    await using subject = await open();
    const members = [
      await begun(subject, "short"),
      await begun(subject, "short"),
      await begun(subject, "short"),
    ] as const;
    await spread(members);
    const [one, two, three] = members;
    const job = await one.insert(endpointOf(one));
    const had = [...one.partitions].toSorted((x, y) => x - y);
    const killedAt = performance.now();
    one.joined.kill();
    await spread([two, three]);
    const taken = [two, three].flatMap(({ gains }) =>
      gains.flatMap(({ unownedMs }) => [...unownedMs]),
    );
    // Partitions that it had released before are not among them.
    expect(taken.map(([partition]) => partition).toSorted((x, y) => x - y)).toEqual(had);
    for (const [, ms] of taken) expect(ms >= 0 && ms < performance.now() - killedAt).toBe(true);
    const heir = [two, three].find((each) => each.has(job.endpointId)) ?? expect.unreachable();
    await heir.insert(job.endpointId);
    expect(heir.counts.get(job.endpointId)?.inQueue).toBe(2);
  });

  it("a frozen replica loses its partitions, stores nothing for them, and gets a new share", async () => {
    await using subject = await open();
    const [one, two] = [await begun(subject, "short"), await begun(subject, "short")];
    await spread([one, two]);
    const id = endpointOf(one);
    const kept = await one.insert(id);
    one.joined.freeze();
    await expect.poll(() => one.ownership.owns(id), POLLED).toBe(false);
    expect(one.ownership.ownerOf(id)).not.toEqual(one.ownership.self);
    await expect.poll(() => two.partitions.size, POLLED).toBe(PARTITIONS);
    const lost = one.insert(id);
    void lost.catch(() => undefined);
    const theirs = await two.insert(id);
    one.joined.wake();
    await expect(lost).rejects.toBeInstanceOf(PartitionsLostError);
    await expect(lost).rejects.toMatchObject({
      partitions: new Set([one.ownership.partitionOf(id)]),
    });
    expect(one.has(id)).toBe(false);
    expect(await seqsIn(two, id)).toEqual([kept.seq, theirs.seq]);
    await spread([one, two]);
    const owner = one.has(id) ? one : two;
    await owner.insert(id);
    expect(owner.counts.get(id)?.inQueue).toBe(3);
    expect(await seqsIn(one, id)).toHaveLength(3);
  });

  it("a gained partition has its counters, its running jobs and the highest key", async () => {
    await using subject = await open();
    const one = await begun(subject);
    const [a, b] = [await one.insert("a"), await one.insert("a")];
    await one.flush([{ before: a, after: handedOver(a) }]);
    await one.ownership.end("now");
    const two = await begun(subject);
    const gain = two.gains.find(({ partitions }) => partitions.has(two.ownership.partitionOf("a")));
    expect(gain?.counts.get("a")).toMatchObject({ inQueue: 1, inProgress: 1 });
    expect(gain?.running).toEqual([handedOver(a)]);
    expect(gain?.lastSeq).toBeGreaterThanOrEqual(b.seq);
  });

  it("the watch of owners ends with its signal", async () => {
    await using subject = await open();
    const one = await begun(subject);
    const watching = new AbortController();
    const watched = one.ownership.moved(watching.signal);
    watching.abort();
    await expect(watched).resolves.toBeUndefined();
    await expect(one.ownership.moved(AbortSignal.abort())).resolves.toBeUndefined();
  });
}
