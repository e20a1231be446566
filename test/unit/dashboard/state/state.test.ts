/** Other state of the dashboard: the connection to the service, answers by path, chunks, notices. */
import { describe, expect, test } from "vitest";
import { MOST_CHUNKS } from "../../../../emulator/dashboard/state/chunk-list.ts";
import {
  type Action,
  INITIAL,
  reduce,
  type State,
} from "../../../../emulator/dashboard/state/state.ts";

const after = (...actions: readonly Action[]): State => actions.reduce(reduce, INITIAL);

describe("the connection to the service", () => {
  test("waits twice as long after each failed try, ten seconds at most", () => {
    const waits: number[] = [];
    let state = after({ type: "connected" });
    for (let tries = 0; tries < 7; tries += 1) {
      state = reduce(state, { type: "disconnected" });
      if (state.link.phase === "waiting") waits.push(state.link.retryMs);
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
    state = after({ type: "disconnected" }, { type: "connected" });
    expect(state.link).toEqual({ phase: "live" });
    expect(reduce(state, { type: "disconnected" }).link).toMatchObject({ tries: 1, retryMs: 500 });
  });

  test("requests everything again after a gap in the events", () => {
    const state = after({ type: "answered", path: "a", value: 1 }, { type: "past-lost" });
    expect(state.reads["a"]).toMatchObject({ value: 1, isStale: true });
    expect(state.jobs.isStale).toBe(true);
  });
});

describe("answers by path", () => {
  test("stay while they are read again, with the last problem", () => {
    const state = after(
      { type: "asked", path: "a" },
      { type: "answered", path: "a", value: { n: 1 } },
      { type: "outdated", path: "a" },
      { type: "asked", path: "a" },
      { type: "refused", path: "a", problem: "away" },
    );
    expect(state.reads["a"]).toEqual({
      value: { n: 1 },
      problem: "away",
      isAsking: false,
      isStale: false,
    });
    expect(
      reduce(state, { type: "answered", path: "a", value: 2 }).reads["a"]?.problem,
    ).toBeUndefined();
  });

  test("become outdated again by events during the read", () => {
    const state = after({ type: "asked", path: "a" }, { type: "outdated", path: "a" });
    expect(reduce(state, { type: "answered", path: "a", value: 1 }).reads["a"]?.isStale).toBe(true);
  });

  test("that no page shows are dropped", () => {
    const state = after({ type: "answered", path: "a", value: 1 }, { type: "dropped", path: "a" });
    expect(state.reads).toEqual({});
  });
});

describe("chunks", () => {
  const opened: Action = { type: "chunks-opened", jobId: "j" };
  const came = (first: number, count: number, afterMs?: number): Action => ({
    type: "chunks-came",
    jobId: "j",
    chunks: Array.from({ length: count }, (_, nr) => ({
      index: first + nr,
      json: String(first + nr),
    })),
    afterMs,
  });

  test("are in order, each once, and the time to the first one is known", () => {
    const { chunks } = after(opened, came(0, 2, 80), came(1, 2, 200), {
      type: "chunks-complete",
      jobId: "j",
    });
    expect(chunks.chunks.map(({ json }) => json)).toEqual(["0", "1", "2"]);
    expect(chunks).toMatchObject({ count: 3, isComplete: true, firstAfterMs: 80 });
  });

  test("of another job are ignored", () => {
    const other = { ...came(0, 1), jobId: "other" } as Action;
    expect(after(opened, other).chunks.count).toBe(0);
  });

  test("of a new attempt replace those before", () => {
    const { chunks } = after(opened, came(0, 5, 10), came(0, 1, 30));
    expect(chunks).toMatchObject({ count: 1, firstAfterMs: 30 });
  });

  test("are bounded: the first one and the newest are kept", () => {
    const { chunks } = after(opened, came(0, 10), came(10, MOST_CHUNKS + 500));
    expect(chunks.chunks).toHaveLength(MOST_CHUNKS);
    expect([chunks.chunks[0]?.index, chunks.chunks.at(-1)?.index]).toEqual([0, MOST_CHUNKS + 509]);
    expect(chunks.count).toBe(MOST_CHUNKS + 510);
  });
});

test("the newest four notices are shown, each until it is dismissed", () => {
  const say = (text: string): Action => ({ type: "noticed", kind: "done", text });
  const state = after(...["a", "b", "c", "d", "e"].map(say));
  expect(state.notices.map(({ text }) => text)).toEqual(["b", "c", "d", "e"]);
  const [first] = state.notices;
  const left = reduce(state, { type: "dismissed", id: first?.id ?? 0 }).notices;
  expect(left.map(({ text }) => text)).toEqual(["c", "d", "e"]);
  expect(new Set(state.notices.map(({ id }) => id)).size).toBe(4);
});
