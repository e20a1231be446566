/** Plants each kind of violation in a sound history of several emulators; the checker finds exactly that violation. */
import { describe, expect, it } from "vitest";
import type { Expectation } from "../crash/history-checker.ts";
import type { Fact } from "../crash/history.ts";
import { checkFleet, type FleetViolation } from "./fleet-checker.ts";

type Untimed = Fact extends infer T ? (T extends Fact ? Omit<T, "at"> : never) : never;

const CHUNKS = ["a", "b", "c"];

function expected(marker: string): Expectation {
  if (marker.startsWith("streams")) return { statuses: ["COMPLETED"], chunks: CHUNKS };
  if (marker.startsWith("fails")) return { statuses: ["FAILED"], afterRetry: "COMPLETED" };
  return { statuses: ["COMPLETED"] };
}

/** Kinds of violations in `facts`, which are in order and 10 µs apart. */
function kinds(...facts: readonly Untimed[]): FleetViolation["kind"][] {
  const timed = facts.map((fact, position) => ({ at: position * 10, ...fact }));
  return checkFleet(timed, expected).map(({ kind }) => kind);
}

const jobId = "j1";
const marker = "plain-a-1";
const submitted = { type: "submitted", jobId, marker } as const;
const handedOver = (attempt: number) =>
  ({ type: "handed-over", jobId, leaseToken: `t${attempt}`, attempt }) as const;
const started = (attempt: number, of = marker) =>
  ({ type: "started", jobId, attempt, marker: of }) as const;
const reported = (attempt: number, kind: "completed" | "failed") =>
  [
    { type: "outcome-sent", jobId, leaseToken: `t${attempt}`, kind },
    { type: "receipt", jobId, leaseToken: `t${attempt}`, kind, accepted: true, forged: false },
  ] as const;
const seen = (status: "IN_QUEUE" | "IN_PROGRESS" | "FAILED" | "CANCELLED", askedAt?: number) =>
  ({ type: "seen", jobId, status, ...(askedAt === undefined ? {} : { askedAt }) }) as const;
const completed = (of = marker, attempt = 1) =>
  ({ type: "seen", jobId, status: "COMPLETED", output: { marker: of, attempt } }) as const;
const run = [submitted, handedOver(1), started(1), ...reported(1, "completed")] as const;
const told = (deliveryId: string, body = "{}") =>
  ({ type: "webhook", jobId, deliveryId, body, status: "COMPLETED", taken: true }) as const;

describe("a sound history has no violation", () => {
  it("when a job is looked at in each of its statuses", () => {
    const [, ...rest] = run;
    expect(kinds(submitted, seen("IN_QUEUE"), ...rest, completed(), completed())).toEqual([]);
  });

  it("when a look takes longer than the changes during it", () => {
    expect(kinds(...run, seen("IN_QUEUE", 5), seen("IN_PROGRESS", 25), completed())).toEqual([]);
  });

  it("when a job that was handed over goes back and is handed over again", () => {
    expect(
      kinds(submitted, handedOver(1), seen("IN_QUEUE"), handedOver(2), completed(marker, 2)),
    ).toEqual([]);
  });

  it("when a look during a retry shows the job before or after it", () => {
    const of = "fails-a-1";
    const retried = { type: "retried", jobId, askedAt: 55 } as const;
    const failed = [handedOver(1), started(1, of), ...reported(1, "failed"), seen("FAILED")];
    const facts = [{ ...submitted, marker: of }, ...failed, seen("IN_PROGRESS", 50)] as const;
    const rest = [handedOver(2), started(2, of), ...reported(2, "completed"), completed(of, 2)];
    expect(kinds(...facts, seen("FAILED", 52), retried, ...rest)).toEqual([]);
    expect(kinds(...facts, { ...retried, askedAt: 65 }, ...rest)).toEqual(["end-changed"]);
  });

  it("when a failed job is retried, delivered twice, and completes", () => {
    const of = "fails-a-1";
    const before = [{ ...submitted, marker: of }, handedOver(1), started(1, of)] as const;
    expect(
      kinds(
        ...before,
        ...reported(1, "failed"),
        seen("FAILED"),
        { ...told("d0"), status: "FAILED" },
        { type: "retried", jobId },
        seen("IN_QUEUE"),
        handedOver(2),
        started(2, of),
        ...reported(2, "completed"),
        completed(of, 2),
        told("d1"),
      ),
    ).toEqual([]);
  });

  it("when a delivery is repeated with its id", () => {
    const asked = { ...submitted, webhook: true };
    const calls = [{ ...told("d0"), taken: false }, told("d0"), told("d0")];
    expect(kinds(asked, handedOver(1), completed(), ...calls)).toEqual([]);
  });
});

describe("the checker finds", () => {
  it("a lost job and a changed end, like the checker of one emulator", () => {
    expect(kinds(submitted, { type: "not-found", jobId })).toEqual(["lost"]);
    expect(kinds(submitted)).toEqual(["lost"]);
    expect(kinds(...run, completed(), seen("FAILED"))).toContain("end-changed");
  });

  it("a handler that begins a job after its end was seen", () => {
    const late = [handedOver(2), started(2)] as const;
    expect(kinds(...run, completed(), ...late)).toContain("run-again");
    const unreported = [submitted, handedOver(1), handedOver(2), started(1)] as const;
    expect(kinds(...unreported, completed(marker, 2), started(2))).toEqual(["run-again"]);
  });

  it("a status older than what the worker, a client or the canceller was told", () => {
    expect(kinds(...run, seen("IN_PROGRESS"), completed())).toEqual(["went-backwards"]);
    expect(kinds(submitted, handedOver(1), completed(), seen("IN_PROGRESS"), completed())).toEqual([
      "end-changed",
      "went-backwards",
    ]);
    const cancelled = { type: "cancelled", jobId } as const;
    expect(kinds(submitted, cancelled, seen("IN_QUEUE"), seen("CANCELLED"))).toEqual([
      "went-backwards",
    ]);
    expect(kinds(submitted, handedOver(1), seen("IN_QUEUE"), completed())).toEqual([
      "went-backwards",
    ]);
  });

  it("a failure that is shown after the job was retried", () => {
    const of = "fails-a-1";
    const failed = [handedOver(1), ...reported(1, "failed"), seen("FAILED")] as const;
    const retried = { type: "retried", jobId } as const;
    const ends = [handedOver(2), ...reported(2, "completed"), completed(of, 2)] as const;
    const facts = [{ ...submitted, marker: of }, ...failed, retried, seen("FAILED")] as const;
    expect(kinds(...facts, ...ends)).toEqual(["end-changed", "went-backwards"]);
  });

  it("a job that is deleted before its time", () => {
    expect(kinds(...run, completed(), { type: "not-found", jobId })).toEqual(["lost"]);
    expect(kinds(submitted, { type: "not-found", jobId })).toEqual(["lost"]);
  });

  it("one end with two deliveries, or with one delivery of two bodies", () => {
    expect(kinds(...run, completed(), told("d0"), told("d1"))).toEqual(["told-twice"]);
    expect(kinds(...run, completed(), told("d0"), told("d0", "[]"))).toEqual(["told-twice"]);
  });

  it("an end without a delivery, or with a delivery that was never taken", () => {
    const [, ...rest] = run;
    const asked = { ...submitted, webhook: true };
    expect(kinds(asked, ...rest, completed())).toEqual(["never-told"]);
    const refused = { ...told("d0"), taken: false };
    expect(kinds(asked, ...rest, completed(), refused)).toEqual(["never-told"]);
  });

  it("chunks that are left out, changed, repeated, or missing at the end", () => {
    const of = "streams-a-1";
    const chunk = (index: number, output: unknown = CHUNKS[index], attempt = 1) => ({
      attempt,
      index,
      output,
    });
    const whole = { type: "streamed", jobId, outputs: CHUNKS } as const;
    const reading = (
      chunks: ReturnType<typeof chunk>[],
      after?: { attempt: number; index: number },
    ) =>
      kinds({ ...submitted, marker: of }, handedOver(1), completed(of), whole, {
        type: "read-chunks",
        jobId,
        after,
        chunks,
        end: "COMPLETED",
      });
    expect(reading([chunk(0), chunk(1), chunk(2)])).toEqual([]);
    expect(reading([chunk(2)], { attempt: 1, index: 1 })).toEqual([]);
    expect(reading([], { attempt: 1, index: 2 })).toEqual([]);
    const again = [0, 1, 2].map((index) => chunk(index, CHUNKS[index], 2));
    expect(reading(again, { attempt: 1, index: 1 })).toEqual([]);
    for (const wrong of [
      [chunk(0), chunk(2)],
      [chunk(0), chunk(1, "x"), chunk(2)],
      [chunk(0), chunk(0), chunk(1), chunk(2)],
      [chunk(0), chunk(1)],
      [chunk(0, "a", 2), chunk(1), chunk(2)],
      [chunk(1), chunk(2)],
    ])
      expect(reading(wrong)).toEqual(["wrong-chunks"]);
  });

  it("a waiter that hangs, a defect, a process that ends, and a write to another owner's partition", () => {
    const request = { type: "request", operation: "status-sync", seat: 0, askedAt: 0 } as const;
    expect(kinds({ ...request, end: "broken" }, { ...request, end: "answered" })).toEqual([]);
    expect(kinds({ ...request, end: "answered", status: 503 })).toEqual([]);
    expect(kinds({ ...request, end: "hung" })).toEqual(["hung"]);
    expect(kinds({ ...request, end: "answered", status: 500, says: "{}" })).toEqual(["defect"]);
    const refused = { ...request, end: "answered", status: 400, says: "{}" } as const;
    expect(kinds({ ...refused, operation: "run" })).toEqual(["defect"]);
    expect(kinds({ ...refused, operation: "cancel" })).toEqual([]);
    expect(kinds({ type: "died", seat: 1, says: "code 4" })).toEqual(["died"]);
    expect(kinds({ type: "foreign-write", says: "{}" })).toEqual(["foreign-write"]);
  });
});
