/** Large inputs that a busy worker process gets ahead of their jobs. */
import { Buffer } from "node:buffer";
import { expect, it } from "vitest";
import { cancel } from "../../../../emulator/engine/jobs/cancel.ts";
import { openSqliteStore } from "../../../../emulator/store/sqlite/sqlite-store.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";
import { createTestEngine } from "../../engine-harness.ts";
import { ScriptedWorker } from "../../scripted-worker.ts";

const LARGE = 600_000;

/** An engine that has large inputs in files. */
async function scene() {
  const temporary = temporaryDirectory();
  const test = await createTestEngine(await openSqliteStore({ directory: temporary.path }));
  return {
    ...test,
    async [Symbol.asyncDispose]() {
      await test.stop();
      temporary[Symbol.dispose]();
    },
    submit: (name: string, bytes = LARGE) => test.submit({ input: inputOf(name, bytes) }),
  };
}

function inputOf(name: string, bytes = LARGE): Buffer {
  return Buffer.from(JSON.stringify(name.repeat(bytes)));
}

/** The jobs whose inputs the worker was sent ahead. */
function aheadOf({ orders }: ScriptedWorker): string[] {
  return orders.flatMap(({ inputAhead }) => inputAhead?.jobId ?? []);
}

it("the input of the next job comes while the worker is busy, and its hand-over has none", async () => {
  await using test = await scene();
  const worker = await test.connectWorker("echo", { kind: "process" });
  await test.submit("a");
  const first = await worker.nextJob();
  expect(first.input.byteLength).toBe(LARGE + 2);
  const { id } = await test.submit("b");
  const { id: third } = await test.submit("c");
  await expect.poll(() => aheadOf(worker)).toEqual([id]);
  await worker.complete(first);
  await worker.grant();
  const second = await worker.nextJob();
  expect(second).toMatchObject({ jobId: id, inputIsAhead: true, input: new Uint8Array() });
  await expect.poll(() => aheadOf(worker)).toEqual([id, third]);
});

it("a job that comes in its place is handed over with its input", async () => {
  await using test = await scene();
  const worker = await test.connectWorker("echo", { kind: "process" });
  await test.submit("a");
  const first = await worker.nextJob();
  const { id: jobId } = await test.submit("b");
  await expect.poll(() => aheadOf(worker)).toEqual([jobId]);
  await cancel(test.engine, { endpointId: "echo", jobId });
  await test.submit("c", 10);
  await worker.complete(first);
  await worker.grant();
  const second = await worker.nextJob();
  expect(second.inputIsAhead).toBeUndefined();
  expect(Buffer.from(second.input)).toEqual(inputOf("c", 10));
});

it("an input that a worker had in an earlier session is sent with its job", async () => {
  await using test = await scene();
  const worker = await test.connectWorker("echo", { kind: "process" });
  await test.submit("a");
  const first = await worker.nextJob();
  const { id } = await test.submit("b");
  await expect.poll(() => aheadOf(worker)).toEqual([id]);
  const held = [{ jobId: first.jobId, leaseToken: first.leaseToken }];
  const hello = { protocolVersion: 3, runtimeVersion: "0.0.0-test", held };
  const again = new ScriptedWorker(test.engine, worker.worker);
  await again.report({ hello, ready: { concurrency: 1 } });
  await again.complete(first);
  await again.grant();
  const second = await again.nextJob();
  expect(Buffer.from(second.input)).toEqual(inputOf("b"));
});

it("no input comes ahead to one of two workers, to a free one, or to one that outlives the service", async () => {
  await using test = await scene();
  const outlives = await test.connectWorker("echo", { kind: "container" });
  await test.submit("a");
  await outlives.nextJob();
  await test.submit("b");
  await test.clock.settle();
  const free = await test.connectWorker("echo", { kind: "process" });
  await free.nextJob();
  await test.submit("c");
  await test.clock.settle();
  expect([...aheadOf(outlives), ...aheadOf(free)]).toEqual([]);
});
