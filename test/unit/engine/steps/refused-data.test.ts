/** A batch that is refused for its data, not for room: only the steps that depend on it are refused. */
import { beforeEach, expect, test } from "vitest";
import { BatchRefusedError } from "../../../../emulator/store/store.ts";
import { openWriter, outcomeOf, submit, turn, type WriterScene } from "./writer-scene.ts";

let scene: WriterScene;

beforeEach(() => {
  scene = openWriter();
});

const refusal = (): Error => new BatchRefusedError("a row is not as it was");

test("a batch that is refused for its data is stored in halves, and only steps that depend on the refused part are refused", async () => {
  const { store, jobs, writer, released, refused } = scene;
  const stored = outcomeOf(writer.run((step) => submit(step)));
  await turn();
  store.flushes[0]?.succeed();
  await turn();
  const good = outcomeOf(writer.run((step) => submit(step, "good")));
  const bad = outcomeOf(writer.run((step) => submit(step, "bad")));
  const both = outcomeOf(
    writer.run((step) => [submit(step, "bad"), submit(step, "also bad")].length),
  );
  const record = outcomeOf(
    writer.run((step) => step.putRecord("webhookSecret", "webhook", { secret: "s" })),
  );
  await turn();
  const later = ["good", "bad", "also bad", "new"].map((id) =>
    outcomeOf(writer.run((step) => submit(step, id))),
  );
  const look = outcomeOf(writer.durable());
  store.flushes[1]?.fail(refusal());
  for (let flush = 2; flush < 6; flush += 1) {
    await turn();
    const { batch, succeed, fail } = store.flushes[flush] ?? expect.unreachable();
    if (batch.counts.has("bad")) fail(refusal());
    else succeed();
  }
  await turn();
  const states = (of: readonly { state: string }[]) => of.map(({ state }) => state);
  const refusedWith = "BatchRefusedError: a row is not as it was";
  expect(states([stored, good, bad, both, record, look])).toEqual([
    "resolved",
    "resolved",
    refusedWith,
    refusedWith,
    "resolved",
    refusedWith,
  ]);
  expect(states(later)).toEqual(["open", refusedWith, refusedWith, "open"]);
  expect([released.length, refused.length]).toEqual([3, 4]);
  const waiting = ["hello", "good", "bad", "also bad", "new"].map(
    (id) => jobs.endpoint(id).counts.inQueue,
  );
  expect(waiting).toEqual([1, 2, 0, 0, 1]);
  const numbers = store.flushes.map(({ batch }) => batch.number);
  const last = store.flushes.at(-1)?.batch;
  expect(numbers.at(-1)).toBe(4);
  expect(last?.jobs.map(({ after }) => after.endpointId)).toEqual(["good", "new"]);
  expect(last?.counts.get("good")?.inQueue).toBe(2);
  expect(store.flushes.slice(2, 6).map(({ batch }) => batch.counts.get("good")?.inQueue)).toContain(
    1,
  );
  store.flushes.at(-1)?.succeed();
  await scene.writer.storing;
  await turn();
  expect(states(later)).toEqual(["resolved", refusedWith, refusedWith, "resolved"]);
});

test("steps that arrive while parts of a refused batch are stored are refused if they depend on a refused part", async () => {
  const { store, jobs, writer } = scene;
  void outcomeOf(writer.run((step) => submit(step, "good")));
  const bad = outcomeOf(writer.run((step) => submit(step, "bad")));
  await turn();
  store.flushes[0]?.fail(refusal());
  await turn();
  const late = outcomeOf(writer.run((step) => submit(step, "bad")));
  for (const flush of [1, 2]) {
    const { batch, succeed, fail } = store.flushes[flush] ?? expect.unreachable();
    if (batch.counts.has("bad")) fail(refusal());
    else succeed();
    await turn();
  }
  expect([bad.state, late.state].map((state) => state.split(":")[0])).toEqual([
    "BatchRefusedError",
    "BatchRefusedError",
  ]);
  expect([jobs.endpoint("good").counts.inQueue, jobs.endpoint("bad").counts.inQueue]).toEqual([
    1, 0,
  ]);
  await scene.writer.storing;
});

test("a caller that waits for room gets it when a full batch is refused", async () => {
  const { store, writer } = scene;
  for (let step = 0; step < 2_048; step += 1) {
    if (step === 1_024) await turn();
    void outcomeOf(writer.run((taken) => submit(taken)));
  }
  const late = outcomeOf(writer.room.wait(writer.room.deadline(false)));
  store.flushes[0]?.fail(new Error("disk full"));
  await turn();
  expect(late.state).toBe("resolved");
});

test("one refused endpoint of many costs a few more batches, and all others are stored", async () => {
  const { store, writer } = scene;
  const ends = Array.from({ length: 128 }, (_, at) =>
    outcomeOf(writer.run((step) => submit(step, `endpoint-${at}`))),
  );
  await turn();
  for (const flush of store.flushes) {
    if (flush.batch.counts.has("endpoint-77")) flush.fail(refusal());
    else flush.succeed();
    await turn();
  }
  await scene.writer.storing;
  const refused = ends.flatMap(({ state }, at) => (state === "resolved" ? [] : [at]));
  expect(refused).toEqual([77]);
  // Seven rounds of halves; one half is stored.
  expect(store.flushes.length).toBe(1 + 2 * 7);
});
