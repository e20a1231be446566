/** The ladder that ends a handler: its rungs and their times, by a clock of the test. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PausableClock } from "../../../../../runtime/core/pausable-clock.ts";
import { DueTimer } from "../../../../../runtime/isolate/ending/due-timer.ts";
import {
  JobLadder,
  type Limit,
  ProcessLadder,
  Respawn,
} from "../../../../../runtime/isolate/ending/ladder.ts";
import { ORDER } from "../../../../../runtime/pipe/frame-kinds.ts";

const GRACE_MS = 100;
const PID = 4_000_000;

let rungs: string[] = [];
const clock = new PausableClock(() => Date.now());

beforeEach(() => {
  rungs = [];
  vi.useFakeTimers();
  vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
    rungs.push(`${signal} to ${pid}`);
    return true;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("a job", () => {
  function jobLadder(): { job: TestJob; ladder: JobLadder<TestJob> } {
    const ladder = new JobLadder<TestJob>(clock, GRACE_MS, {
      late: (late) => {
        rungs.push("late");
        late.ending = "deadline";
        ladder.stop(late, () => rungs.push("abort"));
      },
      stubborn: () => rungs.push("stubborn"),
    });
    const job: TestJob = { dueAt: clock.now() + 1_000, ending: undefined };
    ladder.add(job);
    return { job, ladder };
  }

  test("is late at its deadline, is told to stop, and is stubborn after its grace", () => {
    jobLadder();
    vi.advanceTimersByTime(999);
    expect(rungs).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(rungs).toEqual(["late", "abort"]);
    vi.advanceTimersByTime(GRACE_MS - 1);
    expect(rungs).toEqual(["late", "abort"]);
    vi.advanceTimersByTime(1);
    expect(rungs).toEqual(["late", "abort", "stubborn"]);
  });

  test("with an outcome is stubborn if it still runs at its deadline", () => {
    const { job } = jobLadder();
    job.ending = "handed-back";
    vi.advanceTimersByTime(1_000);
    expect(rungs).toEqual(["stubborn"]);
  });

  test("that stops within its grace reaches no further rung", () => {
    const { job, ladder } = jobLadder();
    vi.advanceTimersByTime(1_000);
    ladder.remove(job);
    vi.advanceTimersByTime(GRACE_MS);
    expect(rungs).toEqual(["late", "abort"]);
  });
});

describe("a handler process", () => {
  function processLadder(hasToTidyUp: boolean): { ladder: ProcessLadder; process: TestProcess } {
    const limits = new DueTimer<Limit>(clock, (limit) => limit.reached());
    const send = (kind: number): void => {
      rungs.push(kind === ORDER.leave ? "leave" : `order ${kind}`);
    };
    const handler: TestProcess = { pid: PID, marker: "nobody has this one", send };
    return {
      ladder: new ProcessLadder({ hasToTidyUp, process: handler }, GRACE_MS, limits),
      process: handler,
    };
  }

  test("that must clean up is asked to leave, then gets SIGTERM, then SIGKILL, a grace apart", () => {
    processLadder(true).ladder.leave();
    expect(rungs).toEqual(["leave"]);
    vi.advanceTimersByTime(GRACE_MS);
    expect(rungs).toEqual(["leave", `SIGTERM to -${PID}`]);
    vi.advanceTimersByTime(GRACE_MS);
    expect(rungs).toEqual(["leave", `SIGTERM to -${PID}`, `SIGKILL to -${PID}`]);
    vi.advanceTimersByTime(10 * GRACE_MS);
    expect(rungs).toHaveLength(3);
  });

  test("that has nothing to clean up gets SIGTERM first", () => {
    processLadder(false).ladder.leave();
    expect(rungs).toEqual([`SIGTERM to -${PID}`]);
  });

  test("that is not ready in time is killed, but first asked to leave if its setup listens", () => {
    const late = (): unknown => rungs.push("late");
    processLadder(false).ladder.readyWithin(50, late);
    vi.advanceTimersByTime(50);
    expect(rungs.splice(0)).toEqual(["late", `SIGKILL to -${PID}`]);
    processLadder(true).ladder.readyWithin(50, late);
    vi.advanceTimersByTime(50);
    expect(rungs).toEqual(["late", "leave"]);
  });

  test("that is gone gets no more signals: another process may have its number", () => {
    const { ladder, process: handler } = processLadder(false);
    ladder.leave();
    handler.pid = undefined;
    vi.advanceTimersByTime(GRACE_MS);
    ladder.terminate();
    expect(rungs).toEqual([`SIGTERM to -${PID}`]);
  });
});

describe("the next process", () => {
  test("is not started when the handler was never ready", () => {
    expect(new Respawn().afterFailure()).toBeUndefined();
  });

  test("waits twice as long each time, up to five times, and starts over when the handler was ready again", () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const respawn = new Respawn();
    respawn.ready();
    const waits = [1, 2, 3, 4, 5, 6].map(() => respawn.afterFailure());
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, undefined]);
    respawn.ready();
    expect(respawn.afterFailure()).toBe(250);
  });
});

interface TestJob {
  dueAt: number;
  ending: string | undefined;
}

interface TestProcess {
  pid: number | undefined;
  readonly marker: string;
  send(kind: number): void;
}
