/** Reports behind a refused one: an outcome never overtakes the chunks before it. */
import { expect, it } from "vitest";
import { StoreFullError } from "../../../../../emulator/core/store-error.ts";
import { viewJob } from "../../../../../emulator/engine/jobs/read/job-view.ts";
import { createMemoryStore } from "../../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine } from "../../../engine-harness.ts";
import { ScriptedWorker } from "../../../scripted-worker.ts";
import { storeWith } from "../../store-with.ts";

for (const [part, chunk] of [
  ["flush", "small"],
  ["stage", "x".repeat(300_000)],
] as const) {
  it(`chunks that the store refuses at ${part} stay before the outcome that the worker sent behind them`, async () => {
    const store = createMemoryStore();
    let isFull = false;
    // Only the chunks find no room: what comes after them would fit.
    const fullOnce = async <T>(write: () => Promise<T>): Promise<T> => {
      if (!isFull) return write();
      isFull = false;
      throw new StoreFullError("the disk is full");
    };
    await using test = await createTestEngine(
      storeWith(store, {
        flush: (batch) =>
          part === "flush" ? fullOnce(() => store.flush(batch)) : store.flush(batch),
        stage: (parts) =>
          part === "stage" ? fullOnce(() => store.stage(parts)) : store.stage(parts),
      }),
    );
    const worker = await test.connectWorker();
    await test.submit();
    const job = await worker.nextJob();
    const status = async () =>
      (await viewJob(test.engine, { endpointId: "echo", jobId: job.jobId })).job.status;

    isFull = true;
    const behind = [worker.chunks(job, [chunk]), worker.complete(job)];
    const states = (await Promise.allSettled(behind)).map((result) => result.status);
    expect(states).toEqual(["rejected", "rejected"]);
    await expect(worker.complete(job)).rejects.toThrow("disk is full");
    expect(await status()).toBe("IN_PROGRESS");

    const again = new ScriptedWorker(test.engine, worker.worker);
    await again.chunks(job, [chunk]);
    await again.complete(job);
    expect(await status()).toBe("COMPLETED");
  });
}
