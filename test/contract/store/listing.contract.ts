/** Contract of the store: the pages of an endpoint's jobs. */
import { expect, it } from "vitest";
import type { JobListing } from "../../../emulator/core/jobs/job-listing.ts";
import { handedOver, insertNew, type OpenSubject } from "./subject.ts";

export function listingContract(open: OpenSubject): void {
  it("jobs are listed newest first, by status and page after page, while others come and go", async () => {
    await using subject = await open();
    const { store } = subject;
    const [a, b, c, d] = await store.transact(async (tx) => {
      const made = [await insertNew(tx), await insertNew(tx)];
      await insertNew(tx, { endpointId: "another" });
      made.push(await insertNew(tx), await insertNew(tx));
      return made;
    });
    if (!a || !b || !c || !d) throw new Error("four jobs were made");
    const list = (listing: JobListing, endpointId = "hello") =>
      store.read((view) => view.listJobs(endpointId, listing));
    expect(await list({ limit: 9 })).toEqual([d, c, b, a]);
    expect(await list({ limit: 0 })).toEqual([]);
    expect(await list({ limit: 9 }, "unknown")).toEqual([]);
    const running = handedOver(c);
    await store.transact(async (tx) => {
      await tx.replaceJob(c, running);
      await tx.replaceJob(b, { ...b, queueKey: await tx.nextSeq() });
    });
    expect(await list({ limit: 2 })).toEqual([d, running]);
    const [, later] = await store.transact(async (tx) => {
      await tx.deleteJob(running);
      return [await insertNew(tx), await insertNew(tx)];
    });
    const rest = await list({ limit: 9, beforeSeq: running.seq });
    expect(rest.map((job) => job.seq)).toEqual([b.seq, a.seq]);
    const waiting = await list({ status: "IN_QUEUE", limit: 2 });
    expect(waiting[0]).toEqual(later);
    expect(await list({ status: "IN_QUEUE", limit: 1, beforeSeq: b.seq })).toEqual([a]);
    expect(await list({ status: "IN_PROGRESS", limit: 9 })).toEqual([]);
  });
}
