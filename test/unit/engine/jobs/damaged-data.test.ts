/** Jobs with missing or damaged data end with that cause, and other jobs are unharmed. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { readStream } from "../../../../emulator/engine/streams/read-stream.ts";
import { retry } from "../../../../emulator/engine/jobs/retry.ts";
import { wholePayload } from "../../../../emulator/engine/jobs/read/show-payload.ts";
import { viewJob } from "../../../../emulator/engine/jobs/read/job-view.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { StoreDamagedError } from "../../../../emulator/core/store-error.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { storeWith } from "../store-with.ts";

const LARGE = Buffer.from(JSON.stringify("x".repeat(300_000)));
async function scene() {
  const temporary = temporaryDirectory();
  const store = await openSqliteStore({ directory: temporary.path });
  const test = await createTestEngine(store);
  const payloads = path.join(temporary.path, "payloads");
  const known = new Set<string>();
  return {
    ...test,
    /** Returns the job and the file of its input. */
    async submit(input: Buffer = LARGE) {
      const job = await test.submit({ input });
      return { ref: { endpointId: "echo", jobId: job.id }, seq: job.seq, file: this.newestFile() };
    },
    /** The file that was missing at the last read. */
    newestFile() {
      const name = fs.readdirSync(payloads).find((file) => !known.has(file)) ?? "none";
      known.add(name);
      return path.join(payloads, name);
    },
    counts: () => test.engine.steps.counts("echo"),
    async [Symbol.asyncDispose]() {
      await test.stop();
      temporary[Symbol.dispose]();
    },
  };
}

function change(file: string): void {
  const bytes = fs.readFileSync(file);
  bytes[1_000] = (bytes[1_000] ?? 0) ^ 1;
  fs.writeFileSync(file, bytes);
}

it.each([
  ["missing", (file: string) => fs.rmSync(file)],
  ["damaged", change],
])(
  "a job with a %s input fails at its hand-over, and its worker takes the next one",
  async (word, harm) => {
    await using test = await scene();
    const [broken, next] = [await test.submit(), await test.submit()];
    harm(broken.file);
    const worker = await test.connectWorker();
    expect((await worker.nextJob()).jobId).toBe(next.ref.jobId);
    const { job } = await viewJob(test.engine, broken.ref);
    expect(job).toMatchObject({ status: "FAILED", failure: { type: "data_damaged" } });
    expect(job.failure?.message).toMatch(new RegExp(`^the input is ${word}: `));
    expect(await test.counts()).toMatchObject({ inQueue: 0, inProgress: 1, failed: 1 });
  },
);

it("a retry of this job fails again while its input is missing, and runs when it is back", async () => {
  await using test = await scene();
  const { ref, file } = await test.submit();
  const content = fs.readFileSync(file);
  fs.rmSync(file);
  const worker = await test.connectWorker();
  const failed = () => test.counts().then(({ failed: count }) => count);
  await expect.poll(failed).toBe(1);
  await retry(test.engine, ref);
  await expect.poll(failed).toBe(2);
  fs.writeFileSync(file, content);
  await retry(test.engine, ref);
  expect((await worker.nextJob()).jobId).toBe(ref.jobId);
});

it("a completed job with a damaged output becomes FAILED when it is first read, and can be retried", async () => {
  await using test = await scene();
  const { ref } = await test.submit();
  const worker = await test.connectWorker();
  await worker.complete(await worker.nextJob(), LARGE);
  const file = test.newestFile();
  const whole = await viewJob(test.engine, ref);
  expect(whole.job.status).toBe("COMPLETED");
  if (whole.output) await wholePayload(whole.output);
  change(file);
  for (let look = 0; look < 2; look += 1) {
    const { job, output } = await viewJob(test.engine, ref);
    expect(job).toMatchObject({ status: "FAILED", failure: { type: "data_damaged" } });
    expect(output).toBeUndefined();
  }
  // Its files are kept for an inspection.
  expect(fs.existsSync(file)).toBe(true);
  await worker.grant();
  await retry(test.engine, ref);
  expect((await worker.nextJob()).jobId).toBe(ref.jobId);
});

it("a job with a damaged stream is FAILED for its readers, with its intact output", async () => {
  await using test = await scene();
  const { ref } = await test.submit();
  const worker = await test.connectWorker();
  const handed = await worker.nextJob();
  await worker.chunks(handed, ["x".repeat(400_000)]);
  const file = test.newestFile();
  await worker.complete(handed, "all of it");
  change(file);
  const options = { holdMs: 0, signal: new AbortController().signal };
  for (const from of [0, undefined]) {
    const part = await readStream(test.engine, ref, { ...options, from });
    expect(part).toMatchObject({ batches: [], last: true, job: { status: "FAILED" } });
  }
  const { job, output } = await viewJob(test.engine, ref);
  expect(job.failure).toMatchObject({ type: "data_damaged" });
  expect(job.failure?.message).toMatch(/^the stream is damaged: /);
  expect(output && Buffer.from(await wholePayload(output)).toString()).toBe('"all of it"');
});

it("damage beyond one payload is answered with its own code", async () => {
  let isDamaged = false;
  const refuse = async () => {
    if (isDamaged) throw new StoreDamagedError("x");
  };
  const memory = createMemoryStore();
  const store = storeWith(memory, {
    job: (id) => refuse().then(() => memory.job(id)),
    flush: (batch) => refuse().then(() => memory.flush(batch)),
  });
  await using test = await createTestEngine(store);
  const { id } = await test.submit({ input: LARGE });
  isDamaged = true;
  const refused = viewJob(test.engine, { endpointId: "echo", jobId: id }).catch((error: unknown) =>
    test.engine.steps.refusalFor(error),
  );
  expect(await refused).toMatchObject({ code: "data_damaged", status: 500 });
  await expect(test.submit({ input: LARGE })).rejects.toMatchObject({ code: "data_damaged" });
});
