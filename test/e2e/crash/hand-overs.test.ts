/** Plants violations by hand-overs and runs; the checker finds them. */
import { expect, it } from "vitest";
import {
  completed,
  handOver,
  history,
  jobId,
  kinds,
  marker,
  report,
  seen,
  submitted,
  type Untimed,
} from "./planted-facts.ts";

it("one hand-over given twice", () => {
  const [handed] = handOver(1);
  const sameAttempt = { ...handed, leaseToken: "other" };
  const sameToken = { ...handed, attempt: 2 };
  expect(kinds(history(submitted, ...handOver(1), sameAttempt, completed(1)))).toEqual([
    "handed-over-twice",
  ]);
  expect(kinds(history(submitted, ...handOver(1), sameToken, completed(2)))).toEqual([
    "handed-over-twice",
  ]);
});

it("an attempt that is made again after a kill, if a receipt or an answer told of it before", () => {
  const again = handOver(1).map((fact) =>
    "leaseToken" in fact ? { ...fact, leaseToken: "again" } : fact,
  );
  const killed = { type: "killed" } as const;
  const toldBy = (...told: readonly Untimed[]) =>
    kinds(history(submitted, ...handOver(1), ...told, killed, ...again, completed(1)));
  expect(toldBy()).toEqual([]);
  const [, receipt] = report(1, "failed");
  for (const told of [seen("IN_PROGRESS"), receipt])
    expect(toldBy(told)).toEqual(["handed-over-twice", "run-again"]);
});

it("a job that is gone after a kill, if its submission was answered", () => {
  const killed = { type: "killed" } as const;
  const gone = { type: "not-found", jobId } as const;
  expect(kinds(history(...handOver(1), killed, gone))).toEqual([]);
  expect(kinds(history(submitted, ...handOver(1), killed, gone))).toEqual(["lost"]);
  expect(kinds(history(...handOver(1), gone))).toEqual(["lost"]);
});

it("one hand-over run twice", () => {
  const [, started] = handOver(1);
  expect(kinds(history(submitted, ...handOver(1), started, completed(1)))).toEqual(["run-again"]);
});

it("a run without a hand-over, and a run of a refused submission", () => {
  const [, started] = handOver(1);
  const [handed] = handOver(2);
  expect(kinds(history(submitted, started, handed, completed(2)))).toEqual(["ran-unasked"]);
  const refused = { type: "submission-refused", marker } as const;
  expect(kinds(history(refused, ...handOver(1), completed(1)))).toEqual(["ran-unasked"]);
});

it("a hand-over that a worker reads just after the kill, and one at ease after it", () => {
  const [handed] = handOver(1);
  const again = { ...handed, leaseToken: "again" };
  const readAfter = (us: number) =>
    kinds([
      { at: 0, ...submitted },
      { at: 1, type: "killed" },
      { at: 1 + us, ...handed },
      { at: 400_000, ...again },
      { at: 400_001, ...completed(1) },
    ]);
  expect(readAfter(50_000)).toEqual([]);
  expect(readAfter(150_000)).toEqual(["handed-over-twice"]);
});
