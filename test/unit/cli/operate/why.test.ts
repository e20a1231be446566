/** The paragraph about the state of a job, from facts alone. */
import { describe, expect, test } from "vitest";
import type { Failure } from "../../../../runtime/protocol/generated/answers.ts";
import type { Attempt, JobDetails } from "../../../../emulator/cli/operate/find-job.ts";
import type { OtherJob, WhyFacts } from "../../../../emulator/cli/operate/why/explain-job.ts";
import { why } from "../../../../emulator/cli/operate/why/why.ts";
import { ordinal } from "../../../../emulator/cli/operate/why/format.ts";

const T0 = Date.parse("2026-01-01T00:00:00.000Z");
const at = (seconds: number) => new Date(T0 + 1_000 * seconds).toISOString();

type Given = Partial<Omit<WhyFacts, "job">> & { readonly job?: Partial<JobDetails> };

function facts({ job, ...given }: Given = {}): WhyFacts {
  return {
    job: {
      ...{ id: "j1-e1", endpointId: "tiles", status: "FAILED", kind: "async" },
      ...{ submittedAt: at(0), queuedAt: at(0), expiresAt: at(86_400), attempt: 1, retries: 0 },
      ...{
        executionTimeout: 600_000,
        lowPriority: false,
        ttlPinned: false,
        chunks: 0,
        attempts: [],
      },
      ...job,
    },
    now: T0 + 60_000,
    endpoint: {
      ...{ version: 7, workersMax: 3, inQueue: 1 },
      workers: { idle: 0, running: 0, initializing: 0 },
    },
    others: [],
    failedStarts: [],
    ...given,
  };
}

function attempt(number: number, given: Partial<Attempt> = {}): Attempt {
  return {
    outcome: "failed",
    ...{ number, workerId: "w1", version: 7, queuedAt: at(0) },
    ...{ startedAt: at(10 * number), endedAt: at(10 * number + 2) },
    ...given,
  };
}

const failed = (failure: Partial<Failure> = {}): Failure => ({
  ...{ type: "handler_error", message: "there is no tile 7" },
  ...failure,
});

const others = (version: number, status: OtherJob["status"], count: number): OtherJob[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `${version}-${status}-${index}`,
    status,
    version,
  }));

describe("the paragraph about a failed job", () => {
  test("says its duration, its worker and its message", () => {
    const job = { attempts: [attempt(1, { failure: failed() })], failure: failed() };
    expect(why(facts({ job }))).toBe(
      'Job j1-e1 of "tiles" failed after 2.0 s on worker w1 with version 7. There is no tile 7.',
    );
  });

  test("shows the first line of the message, and the first frame with a place", () => {
    const stack =
      "RangeError: no\n    at native\n    at draw (/app/tiles.ts:3:9)\n    at x (/y.ts:1:1)";
    const failure = failed({ message: "no tile\nat all", stack });
    const job = { attempts: [attempt(1)], failure };
    expect(why(facts({ job }))).toContain(" No tile (at draw (/app/tiles.ts:3:9)).");
  });

  test("shows the last line of output that is not empty", () => {
    const failure = failed({ lastLogLines: ["loading", "tile 7", " "] });
    const job = { attempts: [attempt(1)], failure };
    expect(why(facts({ job }))).toContain('The last line it wrote was "tile 7".');
  });

  test.each<[Failure["type"], string]>([
    ["invalid_input", "failed before its handler ran"],
    ["invalid_output", "failed when its handler was done"],
  ])("with %s %s", (type, words) => {
    const job = { attempts: [attempt(1)], failure: failed({ type }) };
    expect(why(facts({ job }))).toContain(words);
  });

  test.each<[Attempt["outcome"], string]>([
    ["crashed", "crashed after"],
    ["out_of_memory", "ran out of memory after"],
    ["lost", "lost its worker after"],
    ["damaged", "failed for damaged data after"],
  ])("by %s says that it %s", (outcome, words) => {
    const job = { attempts: [attempt(1, { outcome })], failure: failed() };
    expect(why(facts({ job }))).toContain(`Job j1-e1 of "tiles" ${words} 2.0 s`);
  });

  test("without a worker names only the reason", () => {
    const failure = failed({ type: "data_damaged", message: "its input is missing" });
    expect(why(facts({ job: { failure } }))).toBe(
      'Job j1-e1 of "tiles" failed. Its input is missing.',
    );
  });
});

describe("limits in the paragraph", () => {
  test("of time are named after a timeout, and while the job runs", () => {
    const timedOut = {
      status: "TIMED_OUT" as const,
      attempts: [attempt(1, { outcome: "timed_out" })],
    };
    expect(why(facts({ job: timedOut }))).toContain("Its executionTimeout is 10 min 0 s.");
    const { endedAt: _, ...running } = attempt(1, { outcome: "running" });
    expect(why(facts({ job: { status: "IN_PROGRESS", attempts: [running] } }))).toBe(
      'Job j1-e1 of "tiles" runs on worker w1 with version 7, for 50.0 s so far. Its executionTimeout is 10 min 0 s.',
    );
  });

  test("of memory come with a remedy", () => {
    const job = { attempts: [attempt(1, { outcome: "out_of_memory" })], failure: failed() };
    expect(why(facts({ job }))).toContain("It needs less memory, or its worker more");
  });

  test("of leases are explained for a silent worker, not for one that ended", () => {
    const silent = failed({ type: "worker_lost" });
    const attempts = [attempt(1, { outcome: "lost" })];
    expect(why(facts({ job: { attempts, failure: silent } }))).toContain("renew its lease");
    const ended = failed({ type: "worker_lost", signal: "SIGKILL" });
    expect(why(facts({ job: { attempts, failure: ended } }))).not.toContain("renew its lease");
  });
});

describe("the history in the paragraph", () => {
  const oom = (number: number, version = 7) =>
    attempt(number, { outcome: "out_of_memory", version });

  test("counts equal ends in a row on one version, and names a version that worked", () => {
    const job = { attempts: [oom(1), oom(2), oom(3)], failure: failed({ outOfMemory: true }) };
    const text = why(facts({ job, others: others(6, "COMPLETED", 12) }));
    expect(text).toContain("It was the third out-of-memory in a row on version 7, in 3 attempts.");
    expect(text).toContain("Version 6 was fine: 12 jobs completed on it and none failed.");
  });

  test("names no version if the row has several versions", () => {
    const job = { attempts: [oom(1, 6), oom(2)], failure: failed() };
    expect(why(facts({ job }))).toContain(
      "It was the second out-of-memory in a row, in 2 attempts.",
    );
  });

  test("names earlier outcomes of another kind", () => {
    const lost = attempt(1, { outcome: "lost", version: 6, failure: failed({ message: "gone." }) });
    const job = { attempts: [lost, attempt(2)], failure: failed() };
    const text = why(facts({ job }));
    expect(text).toContain("Before, attempt 1 lost its worker on version 6 (gone).");
    const more = { attempts: [lost, oom(2), oom(3)], failure: failed() };
    expect(why(facts({ job: more }))).toContain("attempts. Before, attempt 1 lost its worker");
  });

  test("shows the last three of many attempts, and counts those that are not kept", () => {
    const attempts = [1, 2, 3, 4].map((number) => attempt(number, { outcome: "handed_back" }));
    const text = why(facts({ job: { attempts: [...attempts, attempt(5)], failure: failed() } }));
    expect(text).toContain("Before, among 4 attempts, attempt 2 was handed back");
    const kept = { attempts: [oom(1), oom(99), oom(100)], attemptsLeftOut: 97, failure: failed() };
    expect(why(facts({ job: kept }))).toContain("at least the third out-of-memory in a row");
  });

  test("of a completed job has its failed attempts", () => {
    const attempts = [attempt(1), attempt(2, { outcome: "completed" })];
    const text = why(
      facts({ job: { status: "COMPLETED", attempts }, others: others(6, "COMPLETED", 3) }),
    );
    expect(text).toBe(
      'Job j1-e1 of "tiles" completed in 2.0 s on worker w1 with version 7. Before, attempt 1 failed on version 7.',
    );
  });

  test("does not say that a version worked if a job failed on it", () => {
    const job = { attempts: [attempt(1, { version: 6 }), attempt(2)], failure: failed() };
    expect(why(facts({ job, others: others(6, "COMPLETED", 3) }))).not.toContain("was fine");
    const mixed = [
      ...others(6, "COMPLETED", 3),
      ...others(6, "FAILED", 1),
      ...others(5, "COMPLETED", 1),
    ];
    expect(why(facts({ job: { attempts: [attempt(1)] }, others: mixed }))).not.toContain(
      "was fine",
    );
  });
});

describe("other jobs on the same version", () => {
  const job = { attempts: [attempt(1)], failure: failed() };

  test.each([
    [others(7, "COMPLETED", 4), "none failed and 4 completed: its input may be the reason"],
    [others(7, "FAILED", 1), "1 other job on version 7 failed as well, and none completed"],
    [others(7, "TIMED_OUT", 2), "2 other jobs on version 7 failed as well"],
    [[...others(7, "FAILED", 1), ...others(7, "COMPLETED", 2)], "1 failed and 2 completed."],
  ])("are compared (%#)", (beside, words) => {
    expect(why(facts({ job, others: beside }))).toContain(words);
  });

  test("do not include the job itself, nor unfinished jobs", () => {
    const beside = [
      { id: "j1-e1", status: "FAILED" as const, version: 7 },
      ...others(7, "IN_QUEUE", 3),
    ];
    expect(why(facts({ job, others: beside }))).not.toContain("other job");
  });
});

describe("the paragraph about a waiting job", () => {
  const job = { status: "IN_QUEUE" as const };
  const endpoint = (given: object) => ({ ...facts().endpoint, ...given }) as WhyFacts["endpoint"];
  const workers = (given: object) =>
    endpoint({ workers: { idle: 0, running: 0, initializing: 0, ...given } });

  test.each([
    [undefined, "waiting for 1 min 0 s: its endpoint does not exist any more."],
    [endpoint({ workersMax: 0 }), "allows no workers (workersMax is 0)"],
    [workers({ idle: 1 }), "a worker is free"],
    [workers({ running: 3 }), "all of its workers are busy (3 of at most 3)"],
    [workers({ initializing: 1 }), "1 worker of version 7 is starting."],
    [workers({ initializing: 2 }), "2 workers of version 7 are starting."],
    [workers({}), "no worker runs. The log says why none is started: sv-emulate logs tiles"],
  ])("names the reason (%#)", (given, words) => {
    expect(why(facts({ job, endpoint: given }))).toContain(words);
  });

  test("counts the other waiting jobs", () => {
    const busy = endpoint({ inQueue: 5, workers: { idle: 0, running: 1, initializing: 0 } });
    expect(why(facts({ job, endpoint: busy }))).toContain(", beside 4 other jobs:");
  });

  test("counts the failed starts since, and names a version that worked", () => {
    const start = { at: T0 + 5_000, version: 7, outOfMemory: true };
    const failedStarts = [
      { ...start, at: T0 - 1, outOfMemory: true },
      { ...start, outOfMemory: false },
      start,
      start,
      { ...start, version: 6 },
      start,
    ];
    expect(why(facts({ job, failedStarts, others: others(6, "COMPLETED", 1) }))).toBe(
      'Job j1-e1 of "tiles" has been waiting for 1 min 0 s: no worker comes up. ' +
        "The last start was the third out of memory in a row on version 7. " +
        "Version 6 was fine: 1 job completed on it and none failed.",
    );
  });

  test("gives the reason why workers do not start, from the first failure on", () => {
    const problem = "a worker could not be started: the image x/y is not on this machine";
    const ill = endpoint({ problem });
    const waits = 'Job j1-e1 of "tiles" has been waiting for 1 min 0 s';
    expect(why(facts({ job, endpoint: ill }))).toBe(`${waits}: ${problem}.`);
    const failedStarts = [{ at: T0 + 1, version: undefined, outOfMemory: false }];
    expect(why(facts({ job, endpoint: ill, failedStarts }))).toBe(
      `${waits}: ${problem}. The last start was the first failure in a row on version 7.`,
    );
  });

  test("names its earlier attempts after a retry", () => {
    const attempts = [attempt(1, { outcome: "lost" })];
    const text = why(facts({ job: { ...job, attempts, queuedAt: at(12) } }));
    expect(text).toContain("has been waiting for 48.0 s");
    expect(text).toContain("Before, attempt 1 lost its worker on version 7.");
  });
});

test("the paragraph about a cancelled job says whether it had begun", () => {
  const job = { status: "CANCELLED" as const };
  expect(why(facts({ job }))).toBe('Job j1-e1 of "tiles" was cancelled before a worker had it.');
  const attempts = [attempt(1, { outcome: "cancelled" })];
  expect(why(facts({ job: { ...job, attempts } }))).toContain("after it had run for 2.0 s");
});

test.each([
  [1, "first"],
  [8, "8th"],
  [11, "11th"],
  [21, "21st"],
  [112, "112th"],
  [103, "103rd"],
])("%i is the %s", (number, words) => {
  expect(ordinal(number)).toBe(words);
});
