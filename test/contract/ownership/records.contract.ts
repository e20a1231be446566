/** Records: any replica may change them; a change based on an outdated version is refused. */
import { expect, it } from "vitest";
import {
  BatchRefusedError,
  PartitionsLostError,
  RecordsMovedError,
} from "../../../emulator/store/store.ts";
import { endpointRecord } from "../store/endpoint-record.ts";
import { begun, endpointOf, type OpenShared, POLLED, spreadOverTwo } from "./shared-subject.ts";

export function recordsContract(open: OpenShared): void {
  it("other replicas receive a replica's changes, by notification and on a refresh; the replica itself does not", async () => {
    await using subject = await open();
    const [one, two] = [await begun(subject), await begun(subject)];
    await one.putRecord("a");
    await two.ownership.refreshRecords();
    expect(two.changes).toEqual([
      {
        version: one.recordsVersion,
        records: [{ kind: "endpoint", id: "a", record: { ...endpointRecord("a"), version: 1 } }],
      },
    ]);
    await two.deleteRecord("a");
    await expect.poll(() => one.changes.length, POLLED).toBe(1);
    expect(one.changes[0]?.records).toEqual([{ kind: "endpoint", id: "a", record: undefined }]);
    expect(one.recordsVersion).toBe(two.recordsVersion);
    await Promise.all([one, two].map(({ ownership }) => ownership.refreshRecords()));
    expect([one.changes.length, two.changes.length]).toEqual([1, 1]);
  });

  it("a change that is based on an outdated version is refused", async () => {
    await using subject = await open();
    const [one, two] = [await begun(subject), await begun(subject)];
    // Replica two hears of the change, but sends its earlier version.
    const { recordsVersion } = two;
    await one.putRecord("a", 1);
    two.recordsVersion = recordsVersion;
    const refused = two.putRecord("a", 2);
    await expect(refused).rejects.toBeInstanceOf(RecordsMovedError);
    await expect(refused).rejects.toBeInstanceOf(BatchRefusedError);
    await two.ownership.refreshRecords();
    two.recordsVersion = one.recordsVersion;
    await two.putRecord("a", 3);
    await one.ownership.refreshRecords();
    expect(one.changes.at(-1)?.records).toMatchObject([{ id: "a", record: { version: 3 } }]);
  });

  it("concurrent changes by two replicas are stored one after the other", async () => {
    await using subject = await open();
    const members = [await begun(subject), await begun(subject)];
    const before = members[0]?.recordsVersion ?? 0;
    await Promise.all(
      members.map(async (each, at) => {
        for (let changed = 0; changed < 10;) {
          try {
            await each.putRecord(`record-${at}`, changed);
            changed += 1;
          } catch (error) {
            if (!(error instanceof RecordsMovedError)) throw error;
            await each.ownership.refreshRecords();
          }
        }
      }),
    );
    for (const each of members) {
      await each.ownership.refreshRecords();
      expect(each.recordsVersion).toBe(before + 20);
    }
  });

  it("any replica changes endpoint records; only the endpoint's owner changes usage records", async () => {
    await using subject = await open();
    const members = await spreadOverTwo(subject);
    const [one, two] = members;
    await one.putRecord(endpointOf(two));
    const usage = (endpointId: string) => ({
      ...({ id: endpointId, kind: "worker", podId: "p", imageName: "i", endpointId } as const),
      ...{ startedAt: 1, endedAt: 2, seenAt: 2, perHour: 0.1, diskInGb: 3 },
    });
    const change = (id: string) => ({
      changes: [{ type: "put-record", kind: "usage", id, record: usage(id) } as const],
    });
    await one.flush([], change(endpointOf(one)));
    await expect(one.flush([], change(endpointOf(two)))).rejects.toBeInstanceOf(
      PartitionsLostError,
    );
    await two.ownership.refreshRecords();
    expect(two.changes.flatMap(({ records }) => records.map(({ kind }) => kind))).toEqual([
      "endpoint",
    ]);
    expect(await two.store.usage()).toHaveLength(1);
  });
}
