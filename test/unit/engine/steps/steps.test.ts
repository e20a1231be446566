/** Files of large payloads after their step was stored or refused. */
import fs from "node:fs";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { StoreFullError } from "../../../../emulator/core/store-error.ts";
import { stageReport } from "../../../../emulator/engine/jobs/staged-report.ts";
import { submit } from "../../../../emulator/engine/jobs/submit.ts";
import type { Steps } from "../../../../emulator/engine/steps/steps.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import type { Store } from "../../../../emulator/store/store.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { pattern, waitingJob } from "../../../contract/store/subject.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { storeWith } from "../store-with.ts";

const LARGE = pattern(300_000);

async function engineOnDisk(changed = (store: Store): Store => store) {
  const directory = temporaryDirectory();
  const store = await openSqliteStore({ directory: directory.path });
  const test = await createTestEngine(changed(store));
  return {
    engine: test.engine,
    steps: test.engine.steps,
    /** Payload files that remain after the store is closed, which waits for removals. */
    async filesLeft(): Promise<string[]> {
      await test[Symbol.asyncDispose]();
      return fs.readdirSync(path.join(directory.path, "payloads"));
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

async function stageLarge({ steps }: { readonly steps: Steps }) {
  const payload = (await steps.stage([[LARGE]])).get(LARGE);
  if (payload === undefined) throw new Error("the payload was staged");
  return payload;
}

it("a staged file is removed when its step is refused", async () => {
  using disk = await engineOnDisk();
  const staged = await stageLarge(disk);
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
  const [stored, leftOut] = [await stageLarge(disk), await stageLarge(disk)];
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

it("no staged file is left when the s3Config of a submission cannot be staged", async () => {
  const discarded = vi.fn<() => void>();
  using disk = await engineOnDisk((store) => {
    let isFirst = true;
    return storeWith(store, {
      stage: async (parts) => {
        if (!isFirst) throw new StoreFullError("there is no room");
        isFirst = false;
        return store.stage(parts);
      },
      discard: (payload) => store.discard(payload).then(discarded),
    });
  });
  const submitted = submit(disk.engine, {
    endpointId: "echo",
    kind: "async",
    submission: {
      input: LARGE,
      s3Config: LARGE,
      policy: { lowPriority: false, ttlMs: LIMITS.ttlDefaultMs },
    },
  });
  await expect(submitted).rejects.toMatchObject({ code: "storage_full" });
  // A close does not wait for staged files, which the next start removes.
  await expect.poll(() => discarded.mock.calls.length).toBe(1);
  expect(await disk.filesLeft()).toEqual([]);
});

it("no staged file is left if one payload of a worker's report cannot be staged, even of payloads staged later", async () => {
  const later = Promise.withResolvers<void>();
  const discarded = vi.fn<() => void>();
  using disk = await engineOnDisk((store) => {
    let calls = 0;
    return storeWith(store, {
      stage: async (parts) => {
        calls += 1;
        if (calls === 2) throw new StoreFullError("there is no room");
        if (calls === 3) await later.promise;
        return store.stage(parts);
      },
      discard: (payload) => store.discard(payload).then(discarded),
    });
  });
  const outcomeOf = (jobId: string) => ({
    ...{ jobId, leaseToken: "token" },
    outcome: { kind: "completed", output: Buffer.from(`"${"x".repeat(300_000)}"`) } as const,
  });
  const staged = stageReport(
    disk.engine,
    { outcomes: ["a", "b", "c"].map(outcomeOf) },
    { before: undefined, isChecked: true },
  );
  await expect(staged).rejects.toMatchObject({ code: "storage_full" });
  later.resolve();
  await expect.poll(() => discarded.mock.calls.length).toBe(2);
  expect(await disk.filesLeft()).toEqual([]);
});
