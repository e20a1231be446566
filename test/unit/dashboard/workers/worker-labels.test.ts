/** Labels of workers, the stages of their starts, and the effects of killing or freezing one. */
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import {
  deviceOf,
  endOf,
  fitting,
  freezeSentences,
  drainSentences,
  killSentences,
  LEASE_MS,
  startMs,
} from "../../../../emulator/dashboard/pages/workers/worker-labels.ts";
import { startStages } from "../../../../emulator/dashboard/pages/workers/start-stages.ts";
import type { OperatedWorker } from "../../../../runtime/protocol/generated/answers.ts";

const at = (second: number) => new Date(1_700_000_000_000 + second * 1_000).toISOString();

const WORKER: OperatedWorker = {
  ...{ id: "w1", endpointId: "upscale", version: 1, state: "ready", launcher: "process" },
  ...{ frozen: false, gpus: [], startedAt: at(0), jobs: [], past: [], lines: [] },
};

test("the device shows the type and number of its GPUs, and whether they are simulated", () => {
  const gpu = (typeId: string, simulated = false) => ({ id: "0", typeId, simulated });
  expect(deviceOf({ gpus: [] })).toBe("CPU");
  expect(deviceOf({ gpus: [gpu("NVIDIA L4")] })).toBe("NVIDIA L4");
  expect(deviceOf({ gpus: [gpu("L4", true), gpu("L4", true), gpu("H200")] })).toBe(
    "2 × L4 (simulated), H200",
  );
});

describe("the stages of a worker's start", () => {
  const stages = (seen: Partial<OperatedWorker>) =>
    startStages({ ...WORKER, ...seen }).map(({ name, fromMs, toMs }) => [
      name,
      toMs === undefined ? "…" : (toMs - fromMs) / 1_000,
    ]);

  test("of a ready worker are three", () => {
    const seen = { pulledAt: at(4), bootedAt: at(5), readyAt: at(9) };
    expect(stages(seen)).toEqual([
      ["pull", 4],
      ["boot", 1],
      ["setup", 4],
    ]);
    expect(startMs({ ...WORKER, ...seen })).toBe(9_000);
  });

  test("end with the present one", () => {
    expect(stages({})).toEqual([["pull", "…"]]);
    expect(stages({ pulledAt: at(4) })).toEqual([
      ["pull", 4],
      ["boot", "…"],
    ]);
    expect(startMs(WORKER)).toBeUndefined();
  });

  test("of a worker that ended during its start end with its end", () => {
    expect(stages({ pulledAt: at(4), bootedAt: at(5), endedAt: at(7) })).toEqual([
      ["pull", 4],
      ["boot", 1],
      ["setup", 2],
    ]);
  });

  test("without a time are part of the next one", () => {
    expect(stages({ readyAt: at(9) })).toEqual([["setup", 9]]);
  });
});

test("the end of a worker is a sentence, with the exit code if it is not 0", () => {
  const exit = { message: "was ended by SIGKILL", outOfMemory: false };
  expect(endOf({ end: "unasked", exit })).toBe("ended unexpectedly: it was ended by SIGKILL");
  expect(endOf({ end: "left", exit: { ...exit, message: "ended with code 0" } })).toBe(
    "stopped on request",
  );
  expect(endOf({ end: "lost" })).toBe("was lost: silent for too long");
  expect(endOf({})).toBe("ended");
});

test("workers are filtered by endpoint and state, or not at all", () => {
  const workers = [
    { ...WORKER, id: "a" },
    { ...WORKER, id: "b", state: "ended" as const },
    { ...WORKER, id: "c", endpointId: "chat", state: "draining" as const },
  ];
  const ids = (query: Readonly<Record<string, string>>) =>
    fitting(workers, query).map(({ id }) => id);
  expect(ids({})).toEqual(["a", "b", "c"]);
  expect(ids({ endpoint: "upscale" })).toEqual(["a", "b"]);
  expect(ids({ state: "draining" })).toEqual(["c"]);
  expect(ids({ endpoint: "upscale", state: "ended" })).toEqual(["b"]);
});

describe("before a worker is killed or frozen, the dashboard", () => {
  const jobs = (count: number) =>
    Array.from({ length: count }, (_, nth) => ({ jobId: `j${nth}`, startedAt: at(0) }));
  const text = (sentences: readonly string[]) => sentences.join(" ");

  test("says what happens to its jobs", () => {
    expect(text(drainSentences(WORKER))).toContain("The scaler starts another worker");
    const external = { ...WORKER, launcher: "external" } as const;
    expect(text(drainSentences(external))).toContain("It may be started again");
    expect(text(killSentences(WORKER))).toContain("It has no job to recover now.");
    expect(text(killSentences({ ...WORKER, jobs: jobs(1) }))).toContain(
      "Its job goes back into the queue for another try if retries.workerLost of upscale has one left, and fails otherwise.",
    );
    expect(text(killSentences({ ...WORKER, jobs: jobs(3) }))).toContain(
      "Its 3 jobs go back into the queue for another try if retries.workerLost of upscale has one left, and fail otherwise.",
    );
  });

  test("says how long it can be frozen: as long as a lease lasts", () => {
    expect(LEASE_MS).toBe(LIMITS.leaseMs);
    expect(text(freezeSentences({ ...WORKER, jobs: jobs(1) }))).toContain(
      "After 15 s its leases run out: it counts as lost and is killed. Its job goes back",
    );
  });

  test("says that a server has no leases: its health checks fail", () => {
    const told = text(freezeSentences({ ...WORKER, launcher: "server" }));
    expect(told).toContain("health checks fail");
    expect(told).not.toContain("lease");
  });
});
