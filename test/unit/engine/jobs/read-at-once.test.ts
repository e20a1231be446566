/** A job changes between the reads of its record and its output: the answer still shows one state. */
import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { inspectJob } from "../../../../emulator/engine/jobs/read/inspect-jobs.ts";
import { readContents } from "../../../../emulator/engine/jobs/read/job-contents.ts";
import { viewJob } from "../../../../emulator/engine/jobs/read/job-view.ts";
import { retry } from "../../../../emulator/engine/jobs/retry.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { createTestEngine, type TestEngine } from "../../engine-harness.ts";
import { storeWith } from "../store-with.ts";

interface Ref {
  readonly endpointId: string;
  readonly jobId: string;
}
type Engine = TestEngine["engine"];

const READERS: readonly [string, (engine: Engine, ref: Ref) => Promise<Read>][] = [
  ["its status", viewJob],
  ["its details", (engine, { jobId }) => inspectJob(engine, jobId)],
  ["its contents", readContents],
];

interface Read {
  readonly job: { readonly status: string };
  readonly output?: unknown;
}

/** An engine with one running job; `meanwhile` runs once, before the next read of an output is answered. */
async function scene() {
  let meanwhile: (() => Promise<unknown>) | undefined;
  const kept = createMemoryStore();
  const store = storeWith(kept, {
    async payload(seq, slot) {
      const happens = slot === "output" ? meanwhile : undefined;
      if (happens) meanwhile = undefined;
      await happens?.();
      return kept.payload(seq, slot);
    },
  });
  const test = await createTestEngine(store);
  const { id: jobId } = await test.submit({ input: "1" });
  const worker = await test.connectWorker();
  const handed = await worker.nextJob();
  return {
    engine: test.engine,
    worker,
    handed,
    ref: { endpointId: "echo", jobId },
    while: (happens: () => Promise<unknown>) => (meanwhile = happens),
    [Symbol.asyncDispose]: () => test.stop(),
  };
}

describe.each(READERS)("a reader of %s", (_, read) => {
  it("sees no output of a running job that ends during the read", async () => {
    await using scened = await scene();
    const { engine, ref, worker, handed } = scened;
    scened.while(() => worker.complete(handed, "done"));
    const { job, output } = await read(engine, ref);
    expect([job.status, Buffer.from(output as Uint8Array).toString()]).toEqual([
      "COMPLETED",
      '"done"',
    ]);
  });

  it("gets an answer at once about a job that streams continuously", async () => {
    await using scened = await scene();
    const { engine, ref, worker, handed } = scened;
    await worker.progress(handed, "half");
    let index = 0;
    const stream = async (): Promise<void> => {
      scened.while(stream);
      if (index < 10) await worker.chunks(handed, [index], index++);
    };
    scened.while(stream);
    expect((await read(engine, ref)).job.status).toBe("IN_PROGRESS");
    expect(index).toBe(1);
  });

  it("sees no progress of a failed job that runs again during the read", async () => {
    await using scened = await scene();
    const { engine, ref, worker, handed } = scened;
    await worker.fail(handed, { type: "handler_error", message: "for now" });
    scened.while(async () => {
      await retry(engine, ref);
      await worker.grant();
      await worker.progress(await worker.nextJob(), "half");
    });
    const { job, output } = await read(engine, ref);
    expect([job.status, Buffer.from(output as Uint8Array).toString()]).toEqual([
      "IN_PROGRESS",
      '"half"',
    ]);
  });
});
