/** The program `sv-worker`: its reports and its exit, which a stuck handler never delays. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { ScriptedSession } from "../../contract/job-source/scripted-service.ts";
import { program, WorkerProgram } from "./worker-program.ts";

function outcomeOf(session: ScriptedSession, jobId: string): unknown {
  return session.all("outcomes").find((report) => report.jobId === jobId)?.outcome;
}

describe("sv-worker exits with", () => {
  test("2 and a message when the environment names no service", () => {
    const { status, stderr } = spawnSync(process.execPath, [program, "handler.ts"], {
      encoding: "utf8",
      env: {},
    });
    expect(status).toBe(2);
    expect(stderr).toContain("SV_SERVICE_ADDRESS (tls://host:port or unix:/path)");
    expect(stderr).toContain("See sv-worker --help");
  });

  test("3 after telling the service that the handler cannot be imported", async () => {
    await using worker = await WorkerProgram.start("import-fails");
    const session = await worker.session();
    await session.until(() => session.reports.some((report) => report.initFailure !== undefined));
    expect(session.reports.find((report) => report.initFailure)?.initFailure).toMatchObject({
      type: "handler_error",
      message: "import-fails.ts cannot be imported: the weights are not here",
    });
    expect(await worker.exit()).toEqual([3, null]);
  });

  test("4 when the service refuses the worker", async () => {
    await using worker = await WorkerProgram.start("echo", { SV_WORKER_TOKEN: "stolen" });
    expect(await worker.exit()).toEqual([4, null]);
    expect(worker.log().map((entry) => entry["msg"])).toContain(
      "the service refused this worker: UNAUTHENTICATED: go away",
    );
  });

  test("0 after SIGTERM and the end of its running jobs; it takes no job after the signal", async () => {
    await using worker = await WorkerProgram.start("async-generator");
    const session = await worker.session();
    await session.until(() => session.credit > 0);
    const job = worker.newJob({ count: 300 });
    session.send({ jobs: [job] });
    await session.until(() => session.all("chunks").length > 0);
    worker.child.kill("SIGTERM");
    await session.until(() => session.reports.some((report) => report.draining === true));
    const late = worker.newJob();
    session.send({ jobs: [late] });
    // Chunks wait for receipts, and the outcome for them.
    void session.until(() => {
      const last = session.all("chunks").at(-1);
      const nextIndex = (last?.firstIndex ?? 0) + (last?.count ?? 0);
      session.send({ chunkReceipts: [{ ...job, nextIndex }] });
      return nextIndex === 300;
    });
    await session.until(() => session.all("outcomes").length === 2);
    session.send({
      outcomeReceipts: [
        { ...job, accepted: true },
        { ...late, accepted: true },
      ],
    });
    expect(outcomeOf(session, job.jobId)).toMatchObject({ kind: "completed" });
    expect(outcomeOf(session, late.jobId)).toEqual({ kind: "handed-back" });
    const counts = session.all("chunks").map(({ count }) => count);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(300);
    expect(await worker.exit()).toEqual([0, null]);
  });

  test("1 after a second signal, and hands its running jobs back", async () => {
    await using worker = await WorkerProgram.start("forever");
    const session = await worker.session(5);
    await session.until(() => session.credit > 0);
    const job = worker.newJob();
    session.send({ jobs: [job] });
    await session.until(() => session.all("renewals").length > 0);
    worker.child.kill("SIGINT");
    await session.until(() => session.reports.some((report) => report.draining === true));
    worker.child.kill("SIGINT");
    expect(await worker.exit()).toEqual([1, null]);
    expect(outcomeOf(session, job.jobId)).toEqual({ kind: "handed-back" });
  });
});

test("a worker without its launcher ends with its handler, even if the handler is stuck", async () => {
  await using worker = await WorkerProgram.start("blocks-the-loop", { SV_EXIT_ON_STDIN_END: "1" });
  const session = await worker.session();
  await session.until(() => session.credit > 0);
  session.send({ jobs: [worker.newJob()] });
  worker.child.stdin?.end();
  expect(await worker.exit()).toEqual([1, null]);
  await worker.gone();
});

test("a worker finds a service that was away again, and delivers the outcome then", async () => {
  await using worker = await WorkerProgram.start("echo");
  const session = await worker.session();
  await session.until(() => session.credit > 0);
  const job = worker.newJob({ n: 1 });
  session.send({ jobs: [job] });
  session.cut();
  const second = await worker.session();
  await second.until(() => second.all("outcomes").length === 1);
  expect(second.reports[0]?.hello?.held).toEqual([
    { jobId: job.jobId, leaseToken: job.leaseToken },
  ]);
  expect(outcomeOf(second, job.jobId)).toMatchObject({ kind: "completed" });
});

test("the handler sees the worker's environment but not its token, and its output is logged with its job", async () => {
  await using worker = await WorkerProgram.start("shows-environment", { MODEL: "tiny" });
  const session = await worker.session();
  await session.until(() => session.credit > 0);
  const job = worker.newJob();
  session.send({ jobs: [job] });
  await session.until(() => session.all("outcomes").length === 1);
  const outcome = session.all("outcomes")[0]?.outcome;
  if (outcome?.kind !== "completed") throw new Error("The job did not complete.");
  const { env } = JSON.parse(Buffer.from(outcome.output ?? []).toString()) as {
    env: Record<string, string>;
  };
  expect(env["MODEL"]).toBe("tiny");
  expect(env).not.toHaveProperty("SV_WORKER_TOKEN");
  session.send({ drain: true, outcomeReceipts: [{ ...job, accepted: true }] });
  expect(await worker.exit()).toEqual([0, null]);
  const about = { time: expect.any(Number), jobId: job.jobId };
  const said = worker.log().filter((entry) => entry["jobId"] === job.jobId);
  expect(said).toHaveLength(3);
  expect(said).toEqual(
    expect.arrayContaining([
      { ...about, level: "info", msg: "on stdout", stream: "stdout" },
      { ...about, level: "info", msg: "on stderr", stream: "stderr" },
      { ...about, level: "warn", msg: "in the log", stream: "stderr", fields: { n: 1 } },
    ]),
  );
});
