/** The bounds of a batch and of the wait for room in it, when steps read cold jobs first or only read. */
import { beforeEach, describe, expect, test } from "vitest";
import { MEMORY_LIMITS } from "../../../../emulator/engine/steps/state/job-memory.ts";
import { openSteps, type Steps } from "../../../../emulator/engine/steps/steps.ts";
import { createMemoryStore } from "../../../../emulator/store/memory/memory-store.ts";
import type { Step } from "../../../../emulator/engine/steps/step.ts";
import { PartitionsLostError } from "../../../../emulator/store/store.ts";
import { FakeClock } from "../../../fake-clock.ts";
import { jobOf, openWriter, outcomeOf, submit, turn } from "./writer-scene.ts";
import { storeWith } from "../store-with.ts";

/** Steps on a memory store with flushes that take `flushMs`, or fail. */
class Scene {
  readonly clock = new FakeClock();
  readonly sizes: number[] = [];
  readonly flushedAt: number[] = [];
  flushMs = 0;
  failure: Error | undefined;
  readonly #store = createMemoryStore();

  open(): Promise<Steps> {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const store = storeWith(this.#store, {
      flush: async (batch) => {
        this.sizes.push(batch.jobs.length);
        this.flushedAt.push(this.clock.now());
        if (this.flushMs > 0) {
          const { promise, resolve } = Promise.withResolvers<void>();
          this.clock.wakeAt(this.clock.now() + this.flushMs, resolve);
          await promise;
        }
        if (this.failure) throw this.failure;
        await this.#store.flush(batch);
      },
    });
    return openSteps(store, { log, clock: this.clock, limits: MEMORY_LIMITS });
  }
}

let scene: Scene;
let steps: Steps;
beforeEach(async () => {
  scene = new Scene();
  steps = await scene.open();
});

/** A step that needs a job outside memory. */
const onColdJob = (at: number) => steps.commit((step) => submit(step), { jobs: [`cold-${at}`] });

describe("a batch has at most 1,024 steps", () => {
  test("of many steps that read cold jobs first", async () => {
    const ids = await Promise.all(Array.from({ length: 3_000 }, (_, at) => onColdJob(at)));
    expect(new Set(ids).size).toBe(3_000);
    expect(Math.max(...scene.sizes)).toBe(1_024);
    expect(scene.sizes.reduce((sum, size) => sum + size, 0)).toBe(3_000);
  });

  test("of steps on jobs that the store finds for them", async () => {
    const each = Array.from({ length: 3_000 }, (_, at) =>
      steps.commitOn(
        async () => [jobOf(at, "hello")],
        (step) => submit(step),
      ),
    );
    await Promise.all(each);
    expect(Math.max(...scene.sizes)).toBe(1_024);
  });

  test("beside any number of steps that only read its changes", async () => {
    const { writer, store } = openWriter();
    void writer.run((step) => submit(step));
    const looks = Array.from({ length: 3_000 }, () => outcomeOf(writer.durable()));
    expect(writer.isFull).toBe(false);
    for (let step = 1; step < 1_024; step += 1) void writer.run((taken) => submit(taken));
    expect(writer.isFull).toBe(true);
    await turn();
    expect(looks[0]?.state).toBe("open");
    store.flushes[0]?.succeed();
    await turn();
    expect(new Set(looks.map(({ state }) => state))).toEqual(new Set(["resolved"]));
  });
});

describe("a step is refused when it has waited for 10 s in all", () => {
  /** Two of these steps fill a batch. */
  const bytes = new Uint8Array(4_000_000);
  const large = (step: Step) => {
    const job = jobOf(step.nextSeq(), "hello");
    step.insertJob(job);
    step.putPayload(job, "input", { kind: "inline", bytes });
  };
  test.each([
    ["needs no job", []],
    ["reads a cold job", ["cold"]],
  ])("a step that %s, however many batches began during the wait", async (_, jobs) => {
    scene.flushMs = 4_000;
    const begunAt = scene.clock.now();
    const refusedAt: number[] = [];
    const all = Array.from({ length: 12 }, () =>
      steps.commit(large, { jobs }).catch((error: unknown) => {
        refusedAt.push(scene.clock.now() - begunAt);
        throw error;
      }),
    );
    const settled = Promise.allSettled(all);
    await scene.clock.advance(60_000);
    const ends = await settled;
    // Batches begin at 0 s, 4 s and 8 s, and another one gathers in between.
    const isStored = ends.map(({ status }) => status === "fulfilled");
    expect(isStored).toEqual(Array.from({ length: 12 }, (__, at) => at < 8));
    expect(ends.at(-1)).toMatchObject({ reason: { code: "storage_busy", status: 503 } });
    expect(refusedAt).toEqual(Array(4).fill(10_000));
  });

  test("and at once without room after a read that took longer", async () => {
    scene.flushMs = 30_000;
    const read = Promise.withResolvers<never[]>();
    const late = outcomeOf(steps.commitOn(() => read.promise, large));
    await scene.clock.advance(11_000);
    for (let step = 0; step < 4; step += 1) void outcomeOf(steps.commit(large));
    await scene.clock.settle();
    read.resolve([]);
    await scene.clock.settle();
    expect(late.state).toContain("the disk is too slow");
  });
});

test("a step that is refused again for partitions of another process is tried again after a pause", async () => {
  scene.failure = new PartitionsLostError(new Set([1]));
  const refused = outcomeOf(steps.commit((step) => submit(step)));
  await scene.clock.advance(5_000);
  expect(refused.state).toContain("again and again");
  const between = scene.flushedAt
    .slice(1)
    .map((at, before) => at - (scene.flushedAt[before] ?? at));
  expect(scene.flushedAt).toHaveLength(10);
  // Memory learns the lost partitions by the first refusal.
  expect(between).toEqual([0, ...Array<number>(8).fill(100)]);
});

describe("the engine checks that", () => {
  test("a step within a step is refused, and so is the outer step", async () => {
    const inner: Promise<unknown>[] = [];
    const outer = steps.commit((step) => {
      submit(step, "outer");
      inner.push(steps.commit((taken) => submit(taken, "inner")).catch(String));
      inner.push(onColdJob(1).catch(String));
    });
    await expect(outer).rejects.toThrow("a step began within this one");
    expect(await Promise.all(inner)).toEqual(
      Array(2).fill("Error: a step began within another one"),
    );
    expect(steps.countsNow("outer").inQueue).toBe(0);
    expect(scene.sizes).toEqual([]);
    await steps.commit((step) => submit(step, "outer"));
    expect(steps.countsNow("outer").inQueue).toBe(1);
  });

  test("a step that requests effects too early is refused", async () => {
    const early = steps.commit((step) => {
      submit(step, "early");
      step.effects.changedEndpoints.add("early");
    });
    await expect(early).rejects.toThrow("before effects can be released");
    expect(steps.countsNow("early").inQueue).toBe(0);
    await steps.commit((step) => submit(step, "early"));
  });
});
