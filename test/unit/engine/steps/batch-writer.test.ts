/** Batches: steps that share one, steps that wait for one, and the outcome of all when one cannot be stored. */
import { beforeEach, expect, test } from "vitest";
import type { Step } from "../../../../emulator/engine/steps/step.ts";
import { openWriter, outcomeOf, submit, turn, type WriterScene } from "./writer-scene.ts";

let scene: WriterScene;
let store: WriterScene["store"];
let jobs: WriterScene["jobs"];
let writer: WriterScene["writer"];

beforeEach(() => {
  scene = openWriter();
  ({ store, jobs, writer } = scene);
});

test("the steps of one turn share a batch, and later steps are gathered while it is written", async () => {
  const first = outcomeOf(writer.run((step) => submit(step)));
  const second = outcomeOf(writer.run((step) => submit(step)));
  await turn();
  const third = outcomeOf(writer.run((step) => submit(step)));
  await turn();
  const fourth = outcomeOf(writer.run((step) => submit(step)));
  await turn();
  expect(store.flushes.map(({ batch }) => batch.jobs.length)).toEqual([2]);
  store.flushes[0]?.succeed();
  await turn();
  expect([first.state, second.state, third.state, fourth.state]).toEqual([
    "resolved",
    "resolved",
    "open",
    "open",
  ]);
  expect(store.flushes.map(({ batch }) => [batch.number, batch.jobs.length])).toEqual([
    [1, 2],
    [2, 2],
  ]);
  expect(scene.released).toHaveLength(2);
});

test("a step that throws changes nothing, and is answered after the steps that it may depend on", async () => {
  const good = outcomeOf(writer.run((step) => submit(step)));
  const bad = outcomeOf(
    writer.run((step) => {
      submit(step);
      throw new Error("refused");
    }),
  );
  await turn();
  expect(bad.state).toBe("open");
  expect(jobs.endpoint("hello").counts.inQueue).toBe(1);
  expect(store.flushes[0]?.batch.jobs.map(({ after }) => after.id)).toEqual(["job-1"]);
  store.flushes[0]?.succeed();
  await turn();
  expect([good.state, bad.state]).toEqual(["resolved", "Error: refused"]);
  expect(scene.released).toHaveLength(1);
});

test("a batch of patient steps gathers a little longer, or until another step joins it", async () => {
  const patient = (step: Step) => {
    submit(step);
    step.patience = 1;
  };
  void writer.run(patient);
  await turn();
  expect(store.flushes).toEqual([]);
  await scene.clock.advance(1);
  await turn();
  expect(store.flushes.map(({ batch }) => batch.jobs.length)).toEqual([1]);
  void writer.run(patient);
  store.flushes[0]?.succeed();
  await turn();
  expect(store.flushes).toHaveLength(1);
  void writer.run((step) => submit(step));
  await turn();
  expect(store.flushes.map(({ batch }) => batch.jobs.length)).toEqual([1, 2]);
  store.flushes[1]?.succeed();
  await scene.clock.advance(1);
  await turn();
  expect(store.flushes).toHaveLength(2);
});

test("steps that change nothing cost no batch", async () => {
  await writer.run(() => undefined);
  const refusedStep = writer.run(() => {
    throw new Error("refused");
  });
  await expect(refusedStep).rejects.toThrow("refused");
  expect(store.flushes).toEqual([]);
  void writer.run(submit);
  await turn();
  expect(store.flushes.map(({ batch }) => batch.number)).toEqual([1]);
});

test("if a batch cannot be stored, it and the steps gathered after it are refused, and memory is restored", async () => {
  void writer.run((step) => submit(step));
  await turn();
  store.flushes[0]?.succeed();
  await turn();
  const before = structuredClone(jobs.endpoint("hello").counts);
  const lost = outcomeOf(writer.run((step) => submit(step)));
  await turn();
  const after = outcomeOf(
    writer.run((step) => step.deleteJob(jobs.find("job-1") ?? expect.unreachable())),
  );
  const look = outcomeOf(writer.durable());
  store.flushes[1]?.fail(new Error("disk full"));
  await turn();
  expect([lost.state, after.state, look.state]).toEqual(Array(3).fill("Error: disk full"));
  expect(jobs.endpoint("hello").counts).toEqual(before);
  expect(jobs.find("job-1")?.status).toBe("IN_QUEUE");
  expect(jobs.find("job-2")).toBeUndefined();
  expect(scene.refused).toHaveLength(2);
  // Memory continues under the number that was not stored.
  const next = outcomeOf(writer.run((step) => submit(step)));
  await turn();
  expect(store.flushes.at(-1)?.batch.number).toBe(2);
  store.flushes.at(-1)?.succeed();
  await turn();
  expect(next.state).toBe("resolved");
});

test("a job that is created and deleted within a batch is not stored, and each row is stored once", async () => {
  void writer.run((step) => {
    const id = submit(step);
    step.putPayload({ seq: 1, endpointId: "hello" }, "input", {
      kind: "inline",
      bytes: Buffer.from("1"),
    });
    step.deleteJob(step.job(id) ?? expect.unreachable());
  });
  void writer.run((step) => {
    const job = step.job(submit(step)) ?? expect.unreachable();
    step.replaceJob(job, { ...job, status: "CANCELLED" });
  });
  await turn();
  const batch = store.flushes[0]?.batch;
  expect(batch?.jobs.map(({ before, after }) => [before, after.status])).toEqual([
    [undefined, "CANCELLED"],
  ]);
  expect(batch?.changes).toEqual([]);
  expect(batch?.counts.get("hello")?.inQueue).toBe(0);
});

/** Retries like the callers of steps. */
async function runInTurn(step: (step: Step) => unknown): Promise<unknown> {
  const deadline = writer.room.deadline(false);
  while (writer.isFull) await writer.room.wait(deadline);
  return writer.run(step);
}

test("a batch has at most 1,024 steps, however many wait for room, and keeps their order", async () => {
  const ids = Array.from({ length: 5_000 }, () => runInTurn((step) => submit(step)));
  for (let flush = 0; flush < 5; flush += 1) {
    await turn();
    expect(store.flushes).toHaveLength(flush + 1);
    store.flushes[flush]?.succeed();
  }
  const numbers = Array.from({ length: 5_000 }, (_, at) => `job-${at + 1}`);
  expect(await Promise.all(ids)).toEqual(numbers);
  const sizes = store.flushes.map(({ batch }) => batch.jobs.length);
  expect(sizes).toEqual([1_024, 1_024, 1_024, 1_024, 904]);
});

test("only a step without room for 10 s is refused", async () => {
  const all = Array.from({ length: 2_048 }, () => outcomeOf(runInTurn((step) => submit(step))));
  await turn();
  const late = runInTurn((step) => submit(step)).catch((error: unknown) => error);
  await scene.clock.advance(10_000);
  expect(await late).toMatchObject({ code: "storage_busy", status: 503, retryAfterMs: 10_000 });
  store.flushes[0]?.succeed();
  await turn();
  store.flushes[1]?.succeed();
  await scene.writer.storing;
  await turn();
  expect(new Set(all.map(({ state }) => state))).toEqual(new Set(["resolved"]));
});

test("a flush that takes longer than 2 s is reported during and after it", async () => {
  void writer.run((step) => submit(step));
  await turn();
  await scene.clock.advance(2_000);
  expect(writer.flusher.slowAt).toBe(Number.NEGATIVE_INFINITY);
  await scene.clock.advance(1);
  expect(writer.flusher.slowAt).toBe(scene.clock.now());
  await scene.clock.advance(1_000);
  store.flushes[0]?.succeed();
  await scene.writer.storing;
  const endedAt = scene.clock.now();
  await scene.clock.advance(5_000);
  expect(writer.flusher.slowAt).toBe(endedAt);
});

test("a job that was stored in another state is deleted in its stored state", async () => {
  const id = writer.run((step) => submit(step));
  await turn();
  store.flushes[0]?.succeed();
  const stored = jobs.find(await id);
  void writer.run((step) => {
    const job = step.job(stored?.id ?? "");
    if (job === undefined) throw new Error("there is no job");
    const cancelled = { ...job, status: "CANCELLED" as const };
    step.replaceJob(job, cancelled);
    step.deleteJob(cancelled);
  });
  await turn();
  expect(store.flushes[1]?.batch).toMatchObject({
    jobs: [],
    changes: [{ type: "delete-job", job: stored }],
  });
  store.flushes[1]?.succeed();
  await scene.writer.storing;
});

test("after the end no step is accepted, and the end waits for the accepted steps", async () => {
  const last = outcomeOf(writer.run((step) => submit(step)));
  const closed = outcomeOf(writer.close());
  await expect(writer.run((step) => submit(step))).rejects.toThrow("stopping");
  await turn();
  expect(closed.state).toBe("open");
  store.flushes[0]?.succeed();
  await turn();
  expect([last.state, closed.state]).toEqual(["resolved", "resolved"]);
});
