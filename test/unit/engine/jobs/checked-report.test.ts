/** Payloads that a worker reports are kept only if they are JSON, of as many lines as it says. */
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type StagedReport, stageReport } from "../../../../emulator/engine/jobs/staged-report.ts";
import type { WorkerReport } from "../../../../runtime/protocol/session.ts";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { createTestEngine } from "../../engine-harness.ts";

const LEASE = { jobId: "job", leaseToken: "token" };

const text = fc.oneof(
  fc.constantFrom("", "\n", "{}", "1\n", "[1\n2]", "{}\n{}\n", '"a"\n', "{", " \n"),
  fc.json(),
  fc.string(),
);
/** Lines as a worker sends them, or what some peer sends in their place. */
const lines = fc.oneof(
  fc
    .array(fc.json(), { minLength: 1, maxLength: 5 })
    .map((all) => all.map((one) => `${one}\n`).join("")),
  text,
);
const count = fc.oneof(fc.nat(6), fc.constantFrom(4_000_000_000, 2 ** 53));

function isJson(candidate: string): boolean {
  try {
    JSON.parse(candidate);
    return true;
  } catch {
    return false;
  }
}

function areLines(candidate: string, wanted: number): boolean {
  const parts = candidate.split("\n");
  return parts.pop() === "" && wanted > 0 && parts.length === wanted && parts.every(isJson);
}

it("of what is known to be JSON, the number of lines and the sizes still count", async () => {
  await using test = await createTestEngine();
  const staged = (report: WorkerReport) =>
    stageReport(test.engine, report, { before: undefined, isChecked: true });
  fc.assert(
    fc.property(lines, count, (said, wanted) => {
      const parts = said.split("\n");
      const isWhole = parts.pop() === "" && wanted > 0 && parts.length === wanted;
      const chunk = { ...LEASE, firstIndex: 0, count: wanted, lines: Buffer.from(said) };
      const kept = isWhole ? [{ report: chunk }] : [];
      expect(staged({ chunks: [chunk] })).toMatchObject({ chunks: kept });
    }),
  );
  const value = Buffer.alloc(LIMITS.progressMaxBytes + 1, "1");
  expect(await staged({ progress: [{ ...LEASE, value }] })).toMatchObject({ progress: [] });
  const output = Buffer.alloc(LIMITS.outputMaxBytes + 1, "1");
  const outcome = { kind: "completed", output } as const;
  const { outcomes } = await staged({ outcomes: [{ ...LEASE, outcome }] });
  expect(outcomes[0]?.report.outcome).toMatchObject({ failure: { type: "worker_refused" } });
});

it("what is no JSON, or has another number of lines, is not kept, whatever its size", async () => {
  await using test = await createTestEngine();
  const staged = (report: WorkerReport): StagedReport => {
    const now = stageReport(test.engine, report, { before: undefined, isChecked: false });
    if (now instanceof Promise) throw new Error("small payloads are staged at once");
    return now;
  };
  fc.assert(
    fc.property(lines, count, (said, wanted) => {
      const chunk = { ...LEASE, firstIndex: 0, count: wanted, lines: Buffer.from(said) };
      expect(staged({ chunks: [chunk] }).chunks.length).toBe(areLines(said, wanted) ? 1 : 0);
    }),
    {
      examples: [
        ["", 1],
        ["", 4_000_000_000],
      ],
    },
  );
  fc.assert(
    fc.property(text, (said) => {
      const bytes = Buffer.from(said);
      const { progress } = staged({ progress: [{ ...LEASE, value: bytes }] });
      expect(progress.length).toBe(isJson(said) ? 1 : 0);
      const outcome = { kind: "completed", output: bytes } as const;
      const { outcomes } = staged({ outcomes: [{ ...LEASE, outcome }] });
      expect(outcomes[0]?.report.outcome.kind).toBe(isJson(said) ? "completed" : "failed");
    }),
  );
});
