/** Cancel, retry, purge, disconnects, two readers and a restart, over HTTP with a real emulator and real workers. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "../cli/call.ts";
import type { EmulatorProcess } from "../emulator-process.ts";
import { Gate } from "./gate.ts";
import { eventually } from "./observe.ts";
import { Stage } from "./stage.ts";

/** One worker that takes one job at a time: the next job shows whether its slot is free. */
const ONE_PLACE = { handler: "waits-at-a-gate.ts", workersMax: 1 };

/** Tests that count an endpoint's jobs use their own endpoint. */
const ENDPOINTS = {
  gated: { ...ONE_PLACE, workersMin: 1 },
  retried: ONE_PLACE,
  restarted: ONE_PLACE,
  streams: { handler: "streams-its-history.ts" },
};

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.set({ endpoints: ENDPOINTS });
});
afterAll(async () => stage[Symbol.asyncDispose]());

const inQueue = async (count: number): Promise<void> => {
  await eventually(`${count} jobs wait`, async () => {
    const { jobs } = await stage.endpoint("gated").health();
    return jobs.inQueue === count ? jobs : undefined;
  });
};

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

test("a cancelled waiting job never starts", async () => {
  await using gate = await Gate.build();
  const gated = stage.endpoint("gated");
  await gated.run(gate.input("first"));
  await gate.arrival("first");
  const { id } = await gated.run(gate.input("second"));
  const third = await gated.run(gate.input("third"));

  expect(await gated.cancel(id)).toEqual({ id, status: "CANCELLED" });
  expect((await gated.status(id)).status).toBe("CANCELLED");
  await gate.open("first");
  await gate.open("third");
  await gated.wait(third.id);
  expect(gate.names).toEqual(["first", "third"]);
});

test("a second cancel succeeds, and the cancel of a finished job is an error", async () => {
  await using gate = await Gate.build();
  const gated = stage.endpoint("gated");
  const { id } = await gated.run(gate.input("running"));
  await gate.arrival("running");
  await gated.cancel(id);
  expect(await gated.cancel(id)).toEqual({ id, status: "CANCELLED" });

  const finished = await gated.run(gate.input("finished"));
  await gate.open("finished");
  await gated.wait(finished.id);
  await expect(gated.cancel(finished.id)).rejects.toMatchObject({
    status: 400,
    code: "job_already_finished",
  });
  expect(await gated.status(finished.id)).toMatchObject({ status: "COMPLETED", output: "through" });
});

test("a retried failed job runs again under its id with its input", async () => {
  await using gate = await Gate.build();
  const gated = stage.endpoint("retried");
  const { id } = await gated.run(gate.input("again"));
  await gate.turnAway("again");
  await expect(gated.wait(id)).rejects.toMatchObject({ job: { status: "FAILED" } });
  expect(await gated.status(id)).toMatchObject({ error: expect.stringContaining("turned away") });

  expect(await gated.retry(id)).toEqual({ id, status: "IN_QUEUE" });
  expect(await gate.arrival("again")).toBe(id);
  const running = await gated.status(id);
  expect(running).toMatchObject({ status: "IN_PROGRESS", retries: 1 });
  expect(running).not.toHaveProperty("error");
  await expect(gated.retry(id)).rejects.toMatchObject({ status: 400, code: "job_not_retryable" });
  await gate.open("again");
  expect(await gated.wait(id)).toMatchObject({ id, output: "through", retries: 1 });
  expect((await gated.health()).jobs).toMatchObject({ completed: 1, failed: 1, retried: 1 });
});

test("a purge removes waiting jobs, answers their waiting clients, and leaves the running job alone", async () => {
  await using gate = await Gate.build();
  const gated = stage.endpoint("gated");
  const running = await gated.run(gate.input("running"));
  await gate.arrival("running");
  const waiting = await Promise.all(
    ["one", "two", "three"].map((name) => gated.run(gate.input(name))),
  );
  const callers = ["four", "five"].map((name) =>
    call(stage.emulator, "gated/runsync", { input: gate.input(name) }),
  );
  await inQueue(5);

  expect(await gated.purgeQueue()).toEqual({ removed: 5, status: "completed" });
  for (const answer of await Promise.all(callers)) {
    expect(answer).toMatchObject({ status: "CANCELLED", id: expect.stringMatching(/^sync-/) });
  }
  for (const { id } of waiting) {
    await expect(gated.status(id)).rejects.toMatchObject({ code: "job_not_found" });
  }
  expect(await gated.purgeQueue()).toEqual({ removed: 0, status: "completed" });
  await gate.open("running");
  expect(await gated.wait(running.id)).toMatchObject({ output: "through" });
  expect(gate.names).toEqual(["running"]);
});

test("a client that disconnects from /runsync does not cancel its job, whether running or waiting", async () => {
  await using gate = await Gate.build();
  const gated = stage.endpoint("gated");
  const hangUp = new AbortController();
  const { signal } = hangUp;
  const running = gated.runSync(gate.input("running"), { signal });
  const runningId = await gate.arrival("running");
  const waiting = gated.runSync(gate.input("waiting"), { signal });
  await inQueue(1);

  hangUp.abort();
  await expect(running).rejects.toBe(signal.reason);
  await expect(waiting).rejects.toBe(signal.reason);
  expect(await gated.status(runningId)).toMatchObject({ status: "IN_PROGRESS" });
  await gate.open("running");
  expect(await gated.wait(runningId)).toMatchObject({ output: "through" });
  const waitingId = await gate.arrival("waiting");
  await gate.open("waiting");
  expect(await gated.wait(waitingId)).toMatchObject({ output: "through" });
});

/** All chunks from index `from` on, read in batches while the job runs, and the number of batches. */
async function readInBatches({ url, apiKey }: EmulatorProcess, jobPath: string, from: number) {
  const outputs: unknown[] = [];
  for (let batches = 1; ; batches++) {
    const address = `${url}/v2/${jobPath}?from=${from + outputs.length}`;
    const response = await fetch(address, { headers: { authorization: `Bearer ${apiKey}` } });
    const chunks = (await response.json()) as { output: unknown }[];
    outputs.push(...chunks.map(({ output }) => output));
    const status = response.headers.get("job-status");
    if (status !== "IN_PROGRESS" && status !== "IN_QUEUE") return { outputs, batches, status };
  }
}

test("two readers follow one stream by ?from to its end, and neither takes chunks from the other", async () => {
  const chunks = Array.from({ length: 200 }, (_, number) => ({ number }));
  const { id } = await stage.endpoint("streams").run({ marker: "read twice", chunks, pauseMs: 5 });
  const [all, half] = await Promise.all([
    readInBatches(stage.emulator, `streams/stream/${id}`, 0),
    readInBatches(stage.emulator, `streams/stream/${id}`, 100),
  ]);
  expect(all).toMatchObject({ outputs: chunks, status: "COMPLETED" });
  expect(half).toMatchObject({ outputs: chunks.slice(100), status: "COMPLETED" });
  expect(all.batches).toBeGreaterThan(1);
  console.log(`figure: 200 chunks, 5 ms apart, came to one reader in ${all.batches} batches`);
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
