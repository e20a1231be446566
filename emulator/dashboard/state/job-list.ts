/** The list of jobs: its filter, the rows read, their changes since, and the selection. */
import type { JobMoved, ServiceEvent } from "./service-event.ts";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";

/** The filter of the list, as the service takes it; durations in ms, instants in ISO 8601. */
export interface JobFilter {
  readonly endpointId?: string;
  readonly status?: readonly JobStatus[];
  readonly kind?: "async" | "sync";
  readonly search?: string;
  readonly minDelay?: number;
  readonly minExecution?: number;
  readonly since?: string;
  readonly until?: string;
}

/** A job in the list; fields that are not known yet are absent. */
export interface JobRow {
  readonly id: string;
  readonly endpointId: string;
  readonly status: JobStatus;
  readonly submittedAt: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  readonly delayTime?: number;
  readonly executionTime?: number;
  readonly attempt?: number;
  readonly version?: number;
  readonly workerId?: string;
  readonly error?: string;
  readonly errorType?: string;
}

export interface JobCount {
  readonly jobs: number;
  readonly more: boolean;
}

export interface JobsPage {
  readonly jobs: readonly JobRow[];
  readonly next?: string | undefined;
  readonly count?: JobCount | undefined;
}

export interface JobList {
  readonly filter: JobFilter;
  readonly rows: readonly JobRow[];
  /** The cursor of the next page; undefined after the last one. */
  readonly next: string | undefined;
  readonly count: JobCount | undefined;
  readonly reading: "asking" | "more" | "here" | "refused";
  readonly problem: string | undefined;
  /** True: the user paused the list, and no row moves. */
  readonly isPaused: boolean;
  /** The top of the list is visible, where new jobs come in. */
  readonly isAtTop: boolean;
  /** Number of jobs that match since the rows were last read. */
  readonly news: number;
  /** The rows must be read again. */
  readonly isStale: boolean;
  readonly selected: ReadonlySet<string>;
  /** All jobs that match are selected, also those not read. */
  readonly isAllSelected: boolean;
  /** The row with the keyboard. */
  readonly cursor: number;
}

export type JobListAction =
  | { readonly type: "jobs-asked"; readonly filter: JobFilter }
  | { readonly type: "jobs-asked-more" }
  /** `isMore`: the page is added after the rows. */
  | {
      readonly type: "jobs-answered";
      readonly filter: JobFilter;
      readonly page: JobsPage;
      readonly isMore: boolean;
    }
  | { readonly type: "jobs-refused"; readonly filter: JobFilter; readonly problem: string }
  | { readonly type: "jobs-paused"; readonly isPaused: boolean }
  | { readonly type: "jobs-scrolled"; readonly isAtTop: boolean }
  | { readonly type: "jobs-cursor"; readonly at: number }
  | { readonly type: "jobs-selected"; readonly ids: readonly string[]; readonly isOn: boolean }
  | { readonly type: "jobs-all-selected"; readonly isOn: boolean };

const NO_FILTER: JobFilter = {};

export const EMPTY_LIST: JobList = {
  filter: NO_FILTER,
  rows: [],
  next: undefined,
  count: undefined,
  reading: "asking",
  problem: undefined,
  isPaused: false,
  isAtTop: true,
  news: 0,
  isStale: false,
  selected: new Set(),
  isAllSelected: false,
  cursor: -1,
};

/** Maximum rows of a live list: new rows push out the last ones. */
const MOST_LIVE_ROWS = 300;

export function reduceJobList(list: JobList, action: JobListAction): JobList {
  switch (action.type) {
    case "jobs-asked": {
      const { isPaused, isAtTop } = list;
      return isSameFilter(list.filter, action.filter)
        ? { ...list, isStale: false }
        : { ...EMPTY_LIST, isPaused, isAtTop, filter: action.filter };
    }
    case "jobs-asked-more":
      return { ...list, reading: "more" };
    case "jobs-answered":
      return isSameFilter(list.filter, action.filter) ? answered(list, action) : list;
    case "jobs-refused":
      return isSameFilter(list.filter, action.filter)
        ? { ...list, reading: "refused", problem: action.problem }
        : list;
    case "jobs-paused":
      return { ...list, isPaused: action.isPaused, isStale: list.isStale || list.news > 0 };
    case "jobs-scrolled":
      return { ...list, isAtTop: action.isAtTop, isStale: list.isStale || list.news > 0 };
    case "jobs-cursor":
      return { ...list, cursor: Math.max(-1, Math.min(action.at, list.rows.length - 1)) };
    case "jobs-selected":
      return { ...list, isAllSelected: false, selected: changed(list.selected, action) };
    case "jobs-all-selected":
      return { ...list, isAllSelected: action.isOn, selected: new Set() };
  }
}

/** Whether new rows come in at once. */
export function isLive({ isPaused, isAtTop }: JobList): boolean {
  return !isPaused && isAtTop;
}

function isSameFilter(one: JobFilter, other: JobFilter): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function answered(
  list: JobList,
  { page, isMore }: Extract<JobListAction, { type: "jobs-answered" }>,
): JobList {
  const known = placesOf(isMore ? list.rows : [], new Set(page.jobs.map(({ id }) => id)));
  const rows = isMore ? [...list.rows, ...page.jobs.filter(({ id }) => !known.has(id))] : page.jobs;
  const cursorId = list.rows[list.cursor]?.id;
  return {
    ...list,
    rows,
    next: page.next,
    count:
      page.count ?? (page.next === undefined ? { jobs: rows.length, more: false } : list.count),
    reading: "here",
    problem: undefined,
    news: isMore ? list.news : 0,
    cursor: isMore ? list.cursor : rows.findIndex(({ id }) => id === cursorId),
  };
}

function changed(
  selected: ReadonlySet<string>,
  { ids, isOn }: Pick<Extract<JobListAction, { type: "jobs-selected" }>, "ids" | "isOn">,
): ReadonlySet<string> {
  const next = new Set(selected);
  for (const id of ids) {
    if (isOn) next.add(id);
    else next.delete(id);
  }
  return next;
}

/** Rows follow the events of their jobs. New jobs come in at the top of a live list, and are counted otherwise. */
export function jobsMoved(list: JobList, events: readonly ServiceEvent[]): JobList {
  const moves = events.filter((event): event is JobMoved => event.type === "job");
  const at = placesOf(list.rows, new Set(moves.map(({ jobId }) => jobId)));
  const rows: (JobRow | undefined)[] = [...list.rows];
  const fresh = new Map<string, JobRow>();
  let [isTouched, news] = [false, 0];
  for (const move of moves) {
    const index = at.get(move.jobId);
    const known = index === undefined ? fresh.get(move.jobId) : rows[index];
    if (known !== undefined) {
      const next = moved(known, move);
      isTouched = true;
      if (index !== undefined) rows[index] = next;
      else if (next !== undefined) fresh.set(move.jobId, next);
    } else if (comesIn(list.filter, move)) {
      fresh.set(move.jobId, rowOf(move));
      news += 1;
    }
  }
  if (!isTouched && news === 0) return list;
  const kept = isTouched ? rows.filter((row) => row !== undefined) : list.rows;
  if (!isLive(list)) return { ...list, rows: kept, news: list.news + news };
  const cursor = list.cursor < 0 ? -1 : list.cursor + fresh.size;
  const all = [...[...fresh.values()].toReversed(), ...kept];
  // A read completes what events do not say.
  return { ...list, rows: all.slice(0, MOST_LIVE_ROWS), cursor, isStale: true };
}

/** The places of a few jobs among up to a hundred thousand rows. */
function placesOf(rows: readonly JobRow[], ids: ReadonlySet<string>): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const [index, { id }] of rows.entries()) if (ids.has(id)) places.set(id, index);
  return places;
}

/** Whether a new job comes into the list. With a search or a bound, an event does not show that. */
function comesIn(filter: JobFilter, { endpointId, from, to }: JobMoved): boolean {
  const { status, search, minDelay, minExecution, until, kind } = filter;
  if ([search, minDelay, minExecution, until, kind].some((bound) => bound !== undefined)) {
    return false;
  }
  if (filter.endpointId !== undefined && filter.endpointId !== endpointId) return false;
  if (status === undefined) return from === null;
  return to !== null && to !== from && status.includes(to);
}

function rowOf({ jobId, endpointId, at, to }: JobMoved): JobRow {
  return { id: jobId, endpointId, status: to ?? "IN_QUEUE", submittedAt: at };
}

/** Undefined for a deleted job. */
function moved(row: JobRow, { from, to, at }: JobMoved): JobRow | undefined {
  if (to === null) return undefined;
  if (to === from) return row;
  if (to === "IN_QUEUE" || to === "IN_PROGRESS") {
    const { id, endpointId, submittedAt, attempt, version } = row;
    const plain = { id, endpointId, submittedAt, status: to, ...given({ attempt, version }) };
    return to === "IN_QUEUE" ? plain : { ...plain, startedAt: at };
  }
  const { startedAt } = row;
  const executionTime =
    startedAt === undefined ? undefined : Math.max(0, Date.parse(at) - Date.parse(startedAt));
  return { ...row, status: to, endedAt: at, ...given({ executionTime }) };
}

function given<Values extends object>(
  values: Values,
): { readonly [Key in keyof Values]?: NonNullable<Values[Key]> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof Values]?: NonNullable<Values[Key]> };
}
