/** Plants each kind of violation in a sound history; the checker finds it, and nothing in a sound one. */
import { describe, expect, it } from "vitest";
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
} from "./planted-facts.ts";

describe("a sound history has no violation", () => {
  it("when a job is handed over once and completes", () => {
    const facts = history(submitted, ...handOver(1), ...report(1, "completed"), completed(1));
    expect(kinds(facts)).toEqual([]);
  });

  it("when a hand-over is lost with the service, and the next one completes", () => {
    const facts = history(submitted, ...handOver(1), ...handOver(3), completed(3), completed(3), {
      type: "counted",
      completed: 1,
    });
    expect(kinds(facts)).toEqual([]);
  });

  it("when an outcome is refused because its lease has ended", () => {
    const facts = history(
      submitted,
      ...handOver(1),
      ...report(1, "lost"),
      ...handOver(2),
      {
        type: "receipt",
        jobId,
        leaseToken: "t1",
        kind: "completed",
        accepted: false,
        forged: true,
      },
      ...report(2, "completed"),
      completed(2),
    );
    expect(kinds(facts)).toEqual([]);
  });

  it("when a failed job runs again after a retry, answered or not", () => {
    for (const type of ["retried", "retry-unanswered"] as const) {
      const facts = history(
        { ...submitted, marker: "fails-1" },
        { type: "handed-over", jobId, leaseToken: "t1", attempt: 1 },
        ...report(1, "failed"),
        seen("FAILED"),
        { type, jobId },
        { type: "handed-over", jobId, leaseToken: "t2", attempt: 2 },
        ...report(2, "completed"),
        { type: "seen", jobId, status: "COMPLETED", output: { marker: "fails-1", attempt: 2 } },
      );
      expect(kinds(facts)).toEqual([]);
    }
  });

  it("when the receipt of a failed attempt comes after the receipt of the retry", () => {
    const [sent, late] = report(1, "failed");
    const facts = history(
      { ...submitted, marker: "fails-1" },
      { type: "handed-over", jobId, leaseToken: "t1", attempt: 1 },
      sent,
      seen("FAILED"),
      { type: "retried", jobId },
      { type: "handed-over", jobId, leaseToken: "t2", attempt: 2 },
      ...report(2, "completed"),
      late,
      { type: "seen", jobId, status: "COMPLETED", output: { marker: "fails-1", attempt: 2 } },
    );
    expect(kinds(facts)).toEqual([]);
  });

  it("when an unanswered submission made a job, or made none", () => {
    const unanswered = { type: "submission-unanswered", marker } as const;
    expect(kinds(history(unanswered))).toEqual([]);
    expect(kinds(history(unanswered, ...handOver(1), completed(1)))).toEqual([]);
  });

  it("when an unanswered cancellation took effect, or did not", () => {
    const unanswered = { type: "cancel-unanswered", jobId } as const;
    expect(kinds(history(submitted, unanswered, seen("CANCELLED")))).toEqual([]);
    expect(kinds(history(submitted, unanswered, ...handOver(1), completed(1)))).toEqual([]);
  });
  it("when a hand-over reaches its worker after the job was cancelled", () => {
    const cancelled = { type: "cancelled", jobId } as const;
    expect(kinds(history(submitted, cancelled, ...handOver(1), seen("CANCELLED")))).toEqual([]);
  });
});

describe("the checker finds", () => {
  it("an acknowledged job that is unknown afterwards", () => {
    expect(kinds(history(submitted, { type: "not-found", jobId }))).toEqual(["lost"]);
  });

  it("an acknowledged job that never ends", () => {
    expect(kinds(history(submitted))).toEqual(["lost"]);
    expect(kinds(history(submitted, seen("IN_QUEUE")))).toEqual(["lost"]);
  });

  it("a job that ran without an answered submission, and has no end", () => {
    const unanswered = { type: "submission-unanswered", marker } as const;
    expect(kinds(history(unanswered, ...handOver(1)))).toEqual(["lost"]);
  });

  it("a hand-over after an acknowledged outcome", () => {
    const facts = [submitted, ...handOver(1), ...report(1, "completed"), ...handOver(2)] as const;
    expect(kinds(history(...facts, completed(2)))).toEqual(["run-again"]);
  });

  it("a hand-over after the outcome that followed a retry", () => {
    const facts = history(
      submitted,
      ...handOver(1),
      ...report(1, "failed"),
      { type: "retried", jobId },
      ...handOver(2),
      ...report(2, "completed"),
      ...handOver(3),
      completed(3),
    );
    expect(kinds(facts)).toEqual(["run-again"]);
  });

  it("an outcome of an earlier hand-over that was accepted after a later hand-over", () => {
    const facts = [submitted, ...handOver(1), ...handOver(2), ...report(1, "completed")] as const;
    expect(kinds(history(...facts, completed(1)))).toEqual([
      "stale-outcome-accepted",
      "wrong-output",
    ]);
  });

  it("a forged outcome that was accepted", () => {
    const facts = history(
      submitted,
      ...handOver(1),
      ...report(1, "lost"),
      { type: "receipt", jobId, leaseToken: "t1", kind: "completed", accepted: true, forged: true },
      ...handOver(2),
      completed(2),
    );
    expect(kinds(facts)).toEqual(["stale-outcome-accepted"]);
  });

  it("a stale output without a receipt", () => {
    const facts = history(submitted, ...handOver(1), ...handOver(2), completed(1));
    expect(kinds(facts)).toEqual(["wrong-output"]);
  });

  it("an end that changed", () => {
    const before = [submitted, ...handOver(1), ...handOver(2), completed(1)] as const;
    expect(kinds(history(...before, completed(2)))).toEqual(["end-changed"]);
    expect(kinds(history(...before, seen("IN_QUEUE"), completed(2)))).toEqual([
      "end-changed",
      "end-changed",
    ]);
  });

  it("an output of a job without an end, in an answer that was requested before the end", () => {
    const before = [submitted, ...handOver(1), completed(1)] as const;
    const late = { ...seen("IN_QUEUE"), askedAt: 0 } as const;
    expect(kinds(history(...before, late, completed(1)))).toEqual([]);
    const torn = { ...late, output: { marker: "plain-1", attempt: 1 } };
    expect(kinds(history(...before, torn, completed(1)))).toEqual(["end-changed"]);
  });

  it("the output of another job", () => {
    const other = { marker: "plain-2", attempt: 1, length: 3 };
    const end = { type: "seen", jobId, status: "COMPLETED", output: other } as const;
    expect(kinds(history(submitted, ...handOver(1), end))).toEqual(["wrong-output"]);
  });

  it("a failed job with a handler that did not fail", () => {
    expect(kinds(history(submitted, ...handOver(1), seen("FAILED")))).toEqual(["wrong-end"]);
  });

  it("a cancelled job that completed, or was handed over later", () => {
    const cancelled = { type: "cancelled", jobId } as const;
    expect(kinds(history(submitted, ...handOver(1), cancelled, completed(1)))).toEqual([
      "wrong-end",
    ]);
    expect(
      kinds(history(submitted, cancelled, ...handOver(1), ...handOver(2), seen("CANCELLED"))),
    ).toEqual(["run-again"]);
  });

  it("an accepted outcome of a job with an accepted cancellation", () => {
    const cancelled = { type: "cancelled", jobId } as const;
    const facts = [submitted, ...handOver(1), cancelled, ...report(1, "completed")] as const;
    expect(kinds(history(...facts, seen("CANCELLED")))).toEqual(["stale-outcome-accepted"]);
  });

  it("one submission that created two jobs", () => {
    const others = handOver(1).map((fact) => ({ ...fact, jobId: "j2" }));
    const end = { ...completed(1), jobId: "j2" };
    const facts = history(submitted, ...handOver(1), completed(1), ...others, end);
    expect(kinds(facts)).toEqual(["submitted-twice"]);
  });

  it("chunks that are missing, repeated or from another attempt", () => {
    const streams = { ...submitted, marker: "streams-1" };
    const end = { ...completed(1), output: { marker: "streams-1", attempt: 1 } };
    const [handed] = handOver(1);
    const withChunks = (outputs: readonly string[]) =>
      kinds(history(streams, handed, end, { type: "streamed", jobId, outputs }));
    expect(withChunks(["a", "b"])).toEqual([]);
    for (const outputs of [["a"], ["a", "a", "b"], ["b", "a"], []]) {
      expect(withChunks(outputs)).toEqual(["wrong-stream"]);
    }
    expect(kinds(history(streams, handed, end))).toEqual(["wrong-stream"]);
  });

  it("counters that miss a job or count one twice", () => {
    const facts = [submitted, ...handOver(1), completed(1)] as const;
    for (const wrong of [0, 2]) {
      expect(kinds(history(...facts, { type: "counted", completed: wrong }))).toEqual([
        "miscounted",
      ]);
    }
  });
});
