/** A search also reports a damaged row, although it reads only a part of it. */
import { expect, it } from "vitest";
import { StoreDamagedError } from "../../../../emulator/core/store-error.ts";
import { fullJob } from "../../../contract/store/odd-jobs.ts";
import { inserted } from "../../../contract/store/subject.ts";
import { storeOnDisk } from "../on-disk.ts";

it.each([
  ["a failure that is no JSON", "failure = '{'"],
  ["an invalid failure", "failure = '[]'"],
  ["an unknown status", "status = 77"],
  ["a changed message", "failure = replace(failure, 'SIGKILL', 'SIGTERM')"],
])("a search reports a damaged store: %s", async (_what, damage) => {
  await using disk = await storeOnDisk();
  await disk.owner.flush([inserted(fullJob(disk.owner.newJob()))]);
  await disk.sql(`UPDATE job SET ${damage}`);
  const store = await disk.reopen();
  const found = store.findJobs({ filter: { search: "sigterm" }, limit: 9, maxLooked: 9 });
  await expect(found).rejects.toThrow(StoreDamagedError);
});
