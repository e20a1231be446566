/** What becomes of the files that large payloads were staged in, when a step has stored them and when it has not. */
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { openSqliteStore } from "../../../emulator/store/sqlite/sqlite-store.ts";
import { pattern, waitingJob } from "../../contract/store/subject.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { createTestEngine } from "../engine-harness.ts";

const LARGE = pattern(300_000);

async function engineOnDisk() {
  const directory = temporaryDirectory();
  const test = await createTestEngine(await openSqliteStore({ directory: directory.path }));
  return {
    steps: test.engine.steps,
    /** The payload files that are left when the store is closed, which waits for those that are being removed. */
    async filesLeft(): Promise<string[]> {
      await test[Symbol.asyncDispose]();
      return fs.readdirSync(path.join(directory.path, "payloads"));
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

it("a staged file is removed when the step that was to store it is refused", async () => {
  using disk = await engineOnDisk();
  const staged = await disk.steps.stage(LARGE);
  const refused = disk.steps.commit(
    () => {
      throw new Error("refused");
    },
    { staged: [staged] },
  );
  await expect(refused).rejects.toThrow("refused");
  expect(await disk.filesLeft()).toEqual([]);
});

it("a staged file is removed when the step leaves it out, and stays when the step stores it", async () => {
  using disk = await engineOnDisk();
  const [stored, leftOut] = [await disk.steps.stage(LARGE), await disk.steps.stage(LARGE)];
  await disk.steps.commit(
    (step) => {
      const job = waitingJob(step.nextSeq());
      step.insertJob(job);
      step.putPayload(job, "input", stored);
    },
    { staged: [stored, leftOut] },
  );
  expect(await disk.filesLeft()).toEqual([stored.kind === "file" ? stored.name : ""]);
});
