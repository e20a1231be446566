/** Facts about one job for made-up histories. */
import type { ViolationKind } from "./dossier.ts";
import { check, type Expectation } from "./history-checker.ts";
import type { Fact } from "./history.ts";

export type Untimed = Fact extends infer T ? (T extends Fact ? Omit<T, "at"> : never) : never;

/** Facts in order. */
export function history(...facts: readonly Untimed[]): readonly Fact[] {
  return facts.map((fact, position) => ({ at: position, ...fact }));
}

const expectations: Readonly<Record<string, Expectation>> = {
  plain: { statuses: ["COMPLETED"], output: { length: 3 } },
  streams: { statuses: ["COMPLETED"], chunks: ["a", "b"] },
  fails: { statuses: ["FAILED"], afterRetry: "COMPLETED" },
};

function expected(marker: string): Expectation {
  return expectations[marker.split("-")[0] ?? ""] ?? { statuses: ["COMPLETED"] };
}

export function kinds(facts: readonly Fact[]): ViolationKind[] {
  return check(facts, expected).map(({ kind }) => kind);
}

export const jobId = "j1";
export const marker = "plain-1";
export const handOver = (attempt: number) =>
  [
    { type: "handed-over", jobId, leaseToken: `t${attempt}`, attempt },
    { type: "started", jobId, attempt, marker },
  ] as const;
export const report = (attempt: number, kind: "completed" | "failed" | "lost", accepted = true) =>
  [
    { type: "outcome-sent", jobId, leaseToken: `t${attempt}`, kind },
    { type: "receipt", jobId, leaseToken: `t${attempt}`, kind, accepted, forged: false },
  ] as const;
export const submitted = { type: "submitted", jobId, marker } as const;
const output = (attempt: number) => ({ marker, attempt, length: 3 });
export const completed = (attempt: number) =>
  ({ type: "seen", jobId, status: "COMPLETED", output: output(attempt) }) as const;
export const seen = (status: "IN_QUEUE" | "IN_PROGRESS" | "FAILED" | "CANCELLED") =>
  ({ type: "seen", jobId, status }) as const;
