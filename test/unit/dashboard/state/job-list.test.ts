/** The list of jobs under answers and events. */
import { describe, expect, test } from "vitest";
import type { JobStatus } from "../../../../runtime/protocol/job-status.ts";
import type { JobMoved } from "../../../../emulator/dashboard/state/service-event.ts";
import type { JobFilter, JobRow, JobsPage } from "../../../../emulator/dashboard/state/job-list.ts";
import {
  type Action,
  INITIAL,
  reduce,
  type State,
} from "../../../../emulator/dashboard/state/state.ts";

const AT = "2026-01-01T00:00:10.000Z";

const row = (id: string, more: Partial<JobRow> = {}): JobRow => ({
  id,
  endpointId: "e",
  status: "IN_QUEUE",
  submittedAt: "2026-01-01T00:00:00.000Z",
  ...more,
});

const move = (jobId: string, from: JobStatus | null, to: JobStatus | null, at = AT): JobMoved => ({
  type: "job",
  at,
  endpointId: "e",
  jobId,
  from,
  to,
  by: "any",
});

const after = (...actions: readonly Action[]): State => actions.reduce(reduce, INITIAL);
const happened = (...events: readonly JobMoved[]): Action => ({ type: "happened", events });
const asked = (filter: JobFilter = {}): Action => ({ type: "jobs-asked", filter });
const answered = (page: JobsPage, filter: JobFilter = {}, isMore = false): Action => ({
  type: "jobs-answered",
  filter,
  page,
  isMore,
});
const ids = ({ jobs }: State) => jobs.rows.map(({ id }) => id);

describe("answers", () => {
  test("the first page replaces the list, later pages are added at the end, and no job appears twice", () => {
    const state = after(
      asked(),
      answered({ jobs: [row("c"), row("b")], next: "n", count: { jobs: 3, more: false } }),
      { type: "jobs-asked-more" },
      answered({ jobs: [row("b"), row("a")] }, {}, true),
    );
    expect(ids(state)).toEqual(["c", "b", "a"]);
    expect(state.jobs).toMatchObject({ reading: "here", count: { jobs: 3 }, next: undefined });
  });

  test("an answer with all jobs but no count gives the count, after one with fewer", () => {
    const state = after(
      asked(),
      answered({ jobs: [row("a")], count: { jobs: 1, more: false } }),
      answered({ jobs: [row("b"), row("a")] }),
    );
    expect(state.jobs.count).toEqual({ jobs: 2, more: false });
  });

  test("a late answer to an earlier query is dropped", () => {
    const failed: JobFilter = { status: ["FAILED"] };
    const state = after(asked(), asked(failed), answered({ jobs: [row("a")] }));
    expect(ids(state)).toEqual([]);
    expect(state.jobs).toMatchObject({ reading: "asking", filter: failed });
  });

  test("a new query begins at the top, without a selection, and stays paused", () => {
    const state = after(
      asked(),
      answered({ jobs: [row("a")] }),
      { type: "jobs-paused", isPaused: true },
      { type: "jobs-selected", ids: ["a"], isOn: true },
      asked({ endpointId: "x" }),
    );
    expect(state.jobs).toMatchObject({ rows: [], isPaused: true, selected: new Set() });
  });

  test("the focused row keeps the focus when the rows are read again", () => {
    const state = after(
      asked(),
      answered({ jobs: [row("b"), row("a")] }),
      { type: "jobs-cursor", at: 1 },
      answered({ jobs: [row("c"), row("b"), row("a")] }),
    );
    expect(state.jobs.cursor).toBe(2);
  });

  test("a refusal is shown, and the rows stay", () => {
    const state = after(asked(), answered({ jobs: [row("a")] }), {
      type: "jobs-refused",
      filter: {},
      problem: "no",
    });
    expect(state.jobs).toMatchObject({ reading: "refused", problem: "no" });
    expect(ids(state)).toEqual(["a"]);
  });
});

describe("events", () => {
  const shown = [asked(), answered({ jobs: [row("a")] })];

  test("a row follows its job: started, ended with its duration, deleted", () => {
    const begun = after(...shown, happened(move("a", "IN_QUEUE", "IN_PROGRESS")));
    expect(begun.jobs.rows).toMatchObject([{ status: "IN_PROGRESS", startedAt: AT }]);
    const later = "2026-01-01T00:00:12.500Z";
    const ended = reduce(begun, happened(move("a", "IN_PROGRESS", "COMPLETED", later)));
    expect(ended.jobs.rows).toMatchObject([
      { status: "COMPLETED", endedAt: later, executionTime: 2_500 },
    ]);
    expect(ids(reduce(ended, happened(move("a", "COMPLETED", null))))).toEqual([]);
  });

  test("the failure of a job is removed when the job is tried again", () => {
    const failed = row("a", { status: "FAILED", error: "boom", executionTime: 5, endedAt: AT });
    const state = after(
      asked(),
      answered({ jobs: [failed] }),
      happened(move("a", "FAILED", "IN_QUEUE")),
    );
    expect(state.jobs.rows).toEqual([row("a")]);
  });

  test("a new job appears at the top while the list is live, and rows are read again", () => {
    const state = after(
      ...shown,
      happened(move("b", null, "IN_QUEUE"), move("c", null, "IN_QUEUE")),
    );
    expect(ids(state)).toEqual(["c", "b", "a"]);
    expect(state.jobs).toMatchObject({ isStale: true, news: 0 });
  });

  test.each([
    ["paused", { type: "jobs-paused", isPaused: true }],
    ["scrolled", { type: "jobs-scrolled", isAtTop: false }],
  ] as const)(
    "while the list is %s new jobs are counted, and rows follow their jobs",
    (_, hold) => {
      const news = Array.from({ length: 37 }, (_each, nr) => move(`n${nr}`, null, "IN_QUEUE"));
      const state = after(...shown, hold, happened(...news, move("a", "IN_QUEUE", "CANCELLED")));
      expect(state.jobs.rows).toMatchObject([{ id: "a", status: "CANCELLED" }]);
      expect(state.jobs).toMatchObject({ news: 37, isStale: false });
    },
  );

  test("after the hold the rows are read again, and the answer resets the count", () => {
    const state = after(
      ...shown,
      { type: "jobs-paused", isPaused: true },
      happened(move("b", null, "IN_QUEUE")),
      { type: "jobs-paused", isPaused: false },
    );
    expect(state.jobs.isStale).toBe(true);
    const read = after(...shown, asked(), answered({ jobs: [row("b"), row("a")] }));
    expect(read.jobs).toMatchObject({ news: 0, isStale: false });
  });

  test.each<[JobFilter, boolean]>([
    [{ endpointId: "e" }, true],
    [{ endpointId: "other" }, false],
    [{ status: ["IN_QUEUE"] }, true],
    [{ status: ["FAILED"] }, false],
    [{ search: "text" }, false],
    [{ minExecution: 5 }, false],
  ])("a new job is put into a list of %j: %s", (filter, comesIn) => {
    const state = after(
      asked(filter),
      answered({ jobs: [] }, filter),
      happened(move("b", null, "IN_QUEUE")),
    );
    expect(ids(state)).toEqual(comesIn ? ["b"] : []);
  });

  test("a job that begins to match is added", () => {
    const filter: JobFilter = { status: ["FAILED"] };
    const state = after(
      asked(filter),
      answered({ jobs: [] }, filter),
      happened(move("b", "IN_PROGRESS", "FAILED")),
    );
    expect(state.jobs.rows).toMatchObject([{ id: "b", status: "FAILED" }]);
  });

  test("the list does not grow while jobs arrive", () => {
    const news = Array.from({ length: 5_000 }, (_, nr) => move(`n${nr}`, null, "IN_QUEUE"));
    const state = after(...shown, happened(...news));
    expect(state.jobs.rows.length).toBeLessThanOrEqual(300);
    expect(state.jobs.rows[0]?.id).toBe("n4999");
  });

  test("events about no job change nothing", () => {
    const before = after(...shown);
    const event = { type: "worker", at: AT, endpointId: "e" } as const;
    expect(reduce(before, { type: "happened", events: [event] }).jobs).toBe(before.jobs);
  });
});

describe("selection", () => {
  test("contains single rows or all matches, and one excludes the other", () => {
    const base = [asked(), answered({ jobs: [row("b"), row("a")] })];
    const some = after(...base, { type: "jobs-selected", ids: ["a", "b"], isOn: true });
    expect(some.jobs.selected).toEqual(new Set(["a", "b"]));
    const one = reduce(some, { type: "jobs-selected", ids: ["a"], isOn: false });
    expect(one.jobs.selected).toEqual(new Set(["b"]));
    const all = reduce(one, { type: "jobs-all-selected", isOn: true });
    expect(all.jobs).toMatchObject({ isAllSelected: true, selected: new Set() });
  });

  test("is moved by the keyboard within the rows only", () => {
    const base = after(asked(), answered({ jobs: [row("b"), row("a")] }));
    const at = (to: number) => reduce(base, { type: "jobs-cursor", at: to }).jobs.cursor;
    expect([at(-5), at(0), at(9)]).toEqual([-1, 0, 1]);
  });
});
