/** Dependencies between steps, by their changes and reads, in linear time. */
import { describe, expect, test } from "vitest";
import type { Changer } from "../../../../emulator/engine/steps/step-changes.ts";
import { independentParts, restingOn } from "../../../../emulator/engine/steps/resting-steps.ts";
import type { Step } from "../../../../emulator/engine/steps/step.ts";
import { jobOf, openWriter, submit } from "./writer-scene.ts";

/** Reads and changes of `step`, on memory with the job `job-1` of "a" and one record. */
function done(step: (step: Step) => unknown): Changer {
  const { writer } = openWriter();
  let taken: Step | undefined;
  void writer.run((first) => {
    submit(first, "a");
    first.putRecord("account", "account", { sshKeys: [] });
  });
  void writer.run((second) => {
    taken = second;
    step(second);
  });
  return taken ?? expect.unreachable();
}

let newest = 1;
const submits = (endpointId: string) =>
  done((step) => step.insertJob(jobOf((newest += 1), endpointId)));
const putsRecord = done((step) => step.putRecord("webhookSecret", "webhook", { secret: "s" }));
const changesJob = done((step) => {
  const job = step.job("job-1") ?? expect.unreachable();
  step.replaceJob(job, { ...job, status: "CANCELLED" });
});

describe("a step depends on an undone step", () => {
  test.each<[string, Changer, Changer]>([
    ["changed its endpoint", submits("a"), submits("a")],
    ["changed the job that it looked at", changesJob, done((step) => step.job("job-1"))],
    ["made the job that it looked for", changesJob, done((step) => step.job("job-1"))],
    ["changed the counters that it looked at", submits("a"), done((step) => step.counts("a"))],
    [
      "put a job into the queue that it looked at",
      submits("a"),
      done((step) => step.firstWaiting("a")),
    ],
    ["changed how many wait", submits("a"), done((step) => step.isShortOfWaiting("a"))],
    [
      "changed the jobs of its worker",
      changesJob,
      done((step) => step.runningJobsOf({ id: "w", endpointId: "a" })),
    ],
    ["changed one of all running jobs", changesJob, done((step) => step.runningJobs())],
    [
      "changed the job whose input it took",
      changesJob,
      done((step) => step.inputOf(jobOf(1, "a"))),
    ],
    [
      "put the record that it looked at",
      putsRecord,
      done((step) => step.record("webhookSecret", "webhook")),
    ],
    [
      "put one of the records that it listed",
      putsRecord,
      done((step) => step.records("webhookSecret")),
    ],
    [
      "put the record that it found as it wanted it",
      done((step) => step.putRecord("account", "account", { sshKeys: ["a"] })),
      done((step) => step.putRecord("account", "account", { sshKeys: [] })),
    ],
  ])("that %s", (_, takenBack, step) => {
    expect(restingOn([takenBack], [takenBack, step])).toEqual([takenBack, step]);
  });

  test.each<[string, Changer, Changer]>([
    ["looked at another endpoint", submits("a"), done((step) => step.counts("b"))],
    ["looked at another job of the endpoint", submits("a"), done((step) => step.job("job-1"))],
    ["looked at another record", putsRecord, done((step) => step.record("account", "account"))],
    ["looked at nothing", submits("a"), done((step) => step.nextSeq())],
    ["changed another endpoint", submits("a"), submits("b")],
  ])("and not when it %s", (_, takenBack, step) => {
    expect(restingOn([takenBack], [takenBack, step])).toEqual([takenBack]);
  });

  test("through others, and only if it came later", () => {
    const both = done((step) => [step.counts("a"), submit(step, "b")]);
    const third = submits("b");
    const [first, early] = [submits("a"), submits("b")];
    const steps = [early, first, both, third];
    expect(restingOn([first], steps)).toEqual([first, both, third]);
  });
});

describe("independent parts", () => {
  test("contain a step and the steps that read its changes, in order, and leave out steps without changes", () => {
    const [a, b] = [submits("a"), submits("b")];
    const looksAtA = done((step) => [step.counts("a"), submit(step, "c")]);
    const readsOnly = done((step) => step.counts("a"));
    expect(independentParts([a, b, readsOnly, looksAtA, putsRecord])).toEqual([
      [a, looksAtA],
      [b],
      [putsRecord],
    ]);
  });
});

describe("the work for twice as many endpoints", () => {
  /** Number of times that `work` reads the places of this number of steps, each of which changes its own endpoint. */
  const readsOf = (count: number, work: (steps: readonly Changer[]) => unknown) => {
    let reads = 0;
    const read = <T>(value: T): T => {
      reads += 1;
      return value;
    };
    const steps = Array.from({ length: count }, (_, at): Changer => {
      const job = jobOf(at, `endpoint-${at}`);
      const [changes, looked] = [
        [{ type: "job", job, row: undefined, after: job }] as const,
        [job.id],
      ];
      return {
        get changes() {
          return read(changes);
        },
        get looked() {
          return read(looked);
        },
      };
    });
    work(steps);
    return reads;
  };
  test.each<[string, (steps: readonly Changer[]) => unknown]>([
    ["splitting a batch", independentParts],
    ["finding what rests on one of its steps", (steps) => restingOn(steps.slice(0, 1), steps)],
    ["finding what rests on all of them", (steps) => restingOn(steps, steps)],
  ])("%s examines steps at most three times as often", (_, work) => {
    expect(readsOf(2_048, work)).toBeLessThanOrEqual(3 * readsOf(1_024, work));
  });
});
