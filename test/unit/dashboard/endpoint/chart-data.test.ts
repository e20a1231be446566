/** The last hour of an endpoint as charts. */
import { expect, test } from "vitest";
import { chartLabel, isBlank } from "../../../../emulator/dashboard/components/chart-model.ts";
import { chartsOf } from "../../../../emulator/dashboard/pages/endpoint/chart-data.ts";
import type { EndpointSeries } from "../../../../runtime/protocol/generated/answers.ts";

const nothing = [null, null, null];
const SERIES: EndpointSeries = {
  stepMs: 10_000,
  endsAt: new Date(100_000).toISOString(),
  points: {
    queued: [null, 4, 2],
    running: [null, 1, 1],
    completed: [null, 0, 3],
    failed: [null, 0, 0],
    delayP50: nothing,
    delayP95: nothing,
    executionP50: [null, 120, 2_500],
    executionP95: [null, 300, 3_000],
    workers: {
      initializing: [null, 1, 0],
      ready: [null, 0, 1],
      draining: [null, 0, 0],
      unhealthy: [null, 1, 0],
      lost: [null, 1, null],
    },
  },
};

test("the window of a chart is the window of its steps", () => {
  expect(chartsOf(SERIES)[0]?.window).toEqual({ from: 70_000, to: 100_000 });
});

test("unhealthy and lost workers share a line, with gaps where neither was measured", () => {
  const workers = chartsOf(SERIES).find(({ title }) => title === "Workers");
  expect(workers?.lines.find(({ name }) => name === "ill")?.values).toEqual([null, 2, 0]);
});

test("each chart has a sentence for screen readers", () => {
  const words = chartsOf(SERIES).map(chartLabel);
  expect(words).toContain(
    "Queue and running over 30 s; queued: last 2, at most 4; running: last 1, at most 1",
  );
  expect(words).toContain("Delay over 30 s; p50: nothing was measured; p95: nothing was measured");
  expect(words).toContain(
    "Execution over 30 s; p50: last 2.5 s, at most 2.5 s; p95: last 3.0 s, at most 3.0 s",
  );
});

test("a chart of gaps or without counts is blank, but a duration of 0 ms is shown", () => {
  const blank = (points: Partial<EndpointSeries["points"]>) =>
    chartsOf({ ...SERIES, points: { ...SERIES.points, ...points } })
      .filter(isBlank)
      .map(({ title }) => title);
  const zeros = [null, 0, 0];
  expect(blank({})).toEqual(["Delay"]);
  expect(blank({ delayP50: zeros, queued: zeros, running: zeros })).toEqual(["Queue and running"]);
});
