/** Records of the attempts at a job and of their workers. */
import { expect, it } from "vitest";
import { attemptsOf } from "../../../../emulator/core/jobs/job-attempts.ts";
import { inspectJob } from "../../../../emulator/engine/jobs/read/inspect-jobs.ts";
import { requeueOrphans } from "../../../../emulator/engine/jobs/requeue.ts";
import { startTestHttp, type TestHttp } from "../../http/http-harness.ts";

const attempts = async ({ test }: TestHttp, id: string) =>
  attemptsOf((await inspectJob(test.engine, id, true)).job);

it("a job that never reached its worker is undelivered", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const id = await service.run();
  await worker.nextJob();
  await worker.greet(0);
  expect(await attempts(service, id)).toMatchObject([{ outcome: "undelivered" }]);
});

it("a job that ran when the service ended is interrupted", async () => {
  await using service = await startTestHttp();
  const worker = await service.test.connectWorker();
  const id = await service.run();
  await worker.nextJob();
  const { engine } = service.test;
  await requeueOrphans(engine, engine.steps.jobsInMemory());
  expect(await attempts(service, id)).toMatchObject([{ outcome: "interrupted", version: 1 }]);
});

it("a job that waited for its worker has the worker's start, and the worker's next job does not", async () => {
  await using service = await startTestHttp();
  const { clock } = service.test;
  const first = await service.run();
  const submittedAt = clock.now();
  await clock.advance(1_000);
  const worker = await service.test.connectWorker("echo", { credit: 2 });
  const readyAt = submittedAt + 1_000;
  expect(await attempts(service, first)).toMatchObject([
    { queuedAt: submittedAt, workerStartedAt: readyAt, bootedAt: readyAt, readyAt },
  ]);
  const second = await service.run();
  await worker.nextJob();
  const [attempt] = await attempts(service, second);
  expect(attempt).toMatchObject({ outcome: "running", workerId: worker.worker.id });
  expect(attempt).not.toHaveProperty("readyAt");
});
