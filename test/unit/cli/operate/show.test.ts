/** Output of tables, durations and jobs. */
import { expect, test } from "vitest";
import type { Attempt, JobDetails } from "../../../../emulator/cli/operate/find-job.ts";
import { jobText } from "../../../../emulator/cli/operate/show-job.ts";
import { type Columns, tableText } from "../../../../emulator/cli/operate/table.ts";
import { durationInWords } from "../../../../emulator/core/time/duration.ts";
import { painter } from "../../../../emulator/cli/terminal-text.ts";
import { instantInWords } from "../../../../emulator/cli/operate/terminal.ts";

test("columns are as wide as their widest cells without colours, and empty columns are left out", () => {
  const rows = [
    { id: "a", status: "lost", n: 1 },
    { id: "longer\u001B[2J", status: "x", n: 22 },
  ];
  const columns: Columns<(typeof rows)[number]> = {
    id: ({ id }) => id,
    status: ({ status }) => ({ state: status }),
    none: () => undefined,
    n: ({ n }) => n,
  };
  expect(tableText(painter(true), rows, columns)).toBe(
    "ID      STATUS  N\na       \u001B[31mlost\u001B[39m    1\nlonger  x       22\n",
  );
});

test.each([
  [undefined, ""],
  [0, "0 ms"],
  [999, "999 ms"],
  [1_000, "1.0 s"],
  [59_900, "59.9 s"],
  [61_000, "1 min 1 s"],
  [3_599_900, "1 h 0 min"],
  [90_000_000, "25 h 0 min"],
])("%s ms is %j", (ms, words) => {
  expect(durationInWords(ms)).toBe(words);
});

test("instants are shown to the second", () => {
  expect(instantInWords("2026-01-01T00:00:01.234Z")).toBe("2026-01-01 00:00:01");
});

const JOB: JobDetails = {
  id: "019b-e1",
  endpointId: "hello",
  status: "FAILED",
  submittedAt: "2026-01-01T00:00:00.000Z",
  kind: "async",
  ttlPinned: false,
  queuedAt: "2026-01-01T00:00:00.000Z",
  expiresAt: "2026-01-02T00:00:00.000Z",
  attempt: 2,
  retries: 1,
  executionTimeout: 600_000,
  lowPriority: false,
  chunks: 0,
  attempts: [],
  input: { text: "x".repeat(3_000) },
  failure: {
    type: "process_exited",
    message: "The process was killed.",
    stack: "at a\nat b",
    workerId: "w1",
    exitCode: 137,
    signal: "SIGKILL",
    outOfMemory: true,
    lastLogLines: ["\u001B[2Jwiped", "last"],
  },
};

test("a job is shown with its known facts, its failure report, and shortened payloads", () => {
  const text = jobText(JOB, painter(false));
  expect(text.split("\n").slice(0, 5)).toEqual([
    "job        019b-e1",
    "endpoint   hello",
    "status     FAILED",
    "submitted  2026-01-01 00:00:00",
    "expires    2026-01-02 00:00:00",
  ]);
  expect(text).toContain("message    The process was killed.\n");
  expect(text).toContain("exit code  137\n");
  expect(text).toContain("memory     it ran out of memory\n");
  expect(text).toContain("stack\n  at a\n  at b\n");
  expect(text).toContain("last lines it wrote\n  wiped\n  last\n");
  expect(text).toMatch(/input\n {2}\{\n.*x+\n {2}… and \d+ characters more; --json shows all\n$/s);
  expect(text).not.toContain("output");
  expect(text).not.toContain("\u001B");
});

test("attempts are shown with the stages of a worker's start, and the reason of each end", () => {
  const instant = (seconds: number) => new Date(1_000 * seconds).toISOString();
  const attempts: Attempt[] = [
    {
      outcome: "out_of_memory",
      ...{ number: 1, workerId: "w1", version: 7, queuedAt: instant(0) },
      ...{ workerStartedAt: instant(0), pulledAt: instant(12), bootedAt: instant(13) },
      ...{ readyAt: instant(15), startedAt: instant(15), endedAt: instant(16) },
      failure: { type: "process_exited", message: "it ran out\nof memory" },
    },
    { number: 80, outcome: "running", queuedAt: instant(16), startedAt: instant(17) },
  ];
  const text = jobText({ ...JOB, attempts, attemptsLeftOut: 78 }, painter(false));
  expect(text).toContain(
    "attempts\n" +
      "  ATTEMPT  OUTCOME        VERSION  WORKER  STARTED              WAITED  FOR                                                      RAN    WHY\n" +
      "  1        out of memory  7        w1      1970-01-01 00:00:15  15.0 s  pull and start 12.0 s, boot 1.0 s, load and setup 2.0 s  1.0 s  it ran out\n",
  );
  expect(text).toContain("  80       running ");
  expect(text).toContain("  … and 78 attempts after the first\n");
  const [, only] = attempts;
  expect(jobText({ ...JOB, attempts: only ? [only] : [] }, painter(false))).not.toContain(
    "ATTEMPT",
  );
});

test("a running job shows its progress as its value", () => {
  const { failure: _, input: __, ...rest } = JOB;
  const text = jobText({ ...rest, status: "IN_PROGRESS", output: 0.5 }, painter(false));
  expect(text).toMatch(/\nprogress\n {2}0.5\n$/);
});
