/** A cancelled job and a restart, with a real emulator and real workers. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Gate } from "./gate.ts";
import { Stage } from "./stage.ts";

/** One worker that takes one job at a time: the next job shows whether its slot is free. */
const ONE_PLACE = { handler: "waits-at-a-gate.ts", workersMax: 1 };

/** Tests that count an endpoint's jobs use their own endpoint. */
const ENDPOINTS = {
  gated: { ...ONE_PLACE, workersMin: 1 },
  restarted: ONE_PLACE,
};

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.set({ endpoints: ENDPOINTS });
});
afterAll(async () => stage[Symbol.asyncDispose]());

test("a cancelled running job is stopped in its handler, and its slot is free for the next job", async () => {
  await using gate = await Gate.build();
  const gated = stage.endpoint("gated");
  const { id } = await gated.run(gate.input("running"));
  expect(await gate.arrival("running")).toBe(id);
  const next = await gated.run(gate.input("next"));

  const cancelledAt = performance.now();
  expect(await gated.cancel(id)).toEqual({ id, status: "CANCELLED" });
  await stage.emulator.stderrMatch(new RegExp(`told to stop: ${id}`));
  expect(await gate.arrival("next")).toBe(next.id);
  const freeMs = performance.now() - cancelledAt;
  await gate.open("next");
  expect(await gated.wait(next.id)).toMatchObject({ status: "COMPLETED", output: "through" });
  const cancelled = await gated.status(id);
  expect(cancelled.status).toBe("CANCELLED");
  expect(cancelled).not.toHaveProperty("output");
  console.log(
    `figure: from the cancel of a running job to the next at work: ${freeMs.toFixed(0)} ms`,
  );
});

test("queued jobs and finished results survive a restart, before which the running job finishes", async () => {
  await using gate = await Gate.build();
  const gated = stage.endpoint("restarted");
  const done = await gated.run(gate.input("done"));
  await gate.open("done");
  const result = await gated.wait(done.id);
  const running = await gated.run(gate.input("running"));
  await gate.arrival("running");
  const waiting = await Promise.all(["one", "two"].map((name) => gated.run(gate.input(name))));

  const { emulator } = stage;
  const stopped = stage.stop();
  await emulator.stderrMatch(/stopping/);
  await gate.open("running");
  await stopped;
  expect(gate.names).toEqual(["done", "running"]);

  await stage.start();
  const again = stage.endpoint("restarted");
  expect(await again.status(done.id)).toEqual(result);
  expect(await again.status(running.id)).toMatchObject({ status: "COMPLETED", output: "through" });
  await gate.open("one");
  await gate.open("two");
  for (const { id } of waiting) expect(await again.wait(id)).toMatchObject({ output: "through" });
  expect((await again.health()).jobs).toMatchObject({ completed: 4, inQueue: 0, inProgress: 0 });
});
