/** The jobs: a query, the jobs that match, and actions on the selected ones. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { useKeys } from "../../components/keys.ts";
import { JobLink, Moment } from "../../components/links.tsx";
import { Panel } from "../../components/panel.tsx";
import { Empty, Loading, Page, Problem } from "../../components/states.tsx";
import { Status } from "../../components/status.tsx";
import { VirtualList } from "../../components/virtual-list.tsx";
import { formatDuration, formatInstant, plural, shortId } from "../../format/format.ts";
import { goTo, replaceRoute } from "../../route/address.ts";
import { hrefTo, type PageProps } from "../../route/route.ts";
import { useRead } from "../../service/use-read.ts";
import { isLive, type JobFilter, type JobList } from "../../state/job-list.ts";
import { dispatch, state, usePart } from "../../state/store.ts";
import { loadJobs, loadMore, wantsReload } from "./job-loader.ts";
import { readJobQuery } from "./job-query.ts";
import { QueryField } from "./query-field.tsx";
import { changeSelected, SelectionBar } from "./selection-bar.tsx";

/** Minimum interval between reads of a live list, ms. */
const RELOAD_PACE_MS = 1_000;

export function JobsPage({ route }: PageProps): JSX.Element {
  const text = route.query["q"] ?? "";
  const query = useMemo(() => readJobQuery(text, Date.now()), [text]);
  const list = usePart((all) => all.jobs);
  useEffect(() => void loadJobs(query.filter), [text]);
  useReload(query.filter);
  const field = useRef<HTMLInputElement>(null);
  useJobKeys(() => field.current?.focus());
  return (
    <Page
      title="Jobs"
      class="jobs-page"
      head={
        <>
          <span class="quiet number" role="status">
            {countLabel(list, text !== "")}
          </span>
          <span class="spring" />
          <PauseButton list={list} />
        </>
      }
    >
      <QueryField
        text={text}
        problems={query.problems}
        field={field}
        onChange={(typed) => replaceRoute("jobs", [], { q: typed })}
      />
      <SelectionBar list={list} />
      <Rows list={list} isFiltered={text !== ""} />
    </Page>
  );
}

/** Reads the list again after events that did not name every change. */
function useReload(filter: JobFilter): void {
  const isWanted = usePart(wantsReload);
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setTimeout(() => void loadJobs(filter), RELOAD_PACE_MS);
    return () => clearTimeout(timer);
  }, [isWanted, filter]);
}

function countLabel({ count, rows, next }: JobList, isFiltered: boolean): string {
  if (count === undefined && next !== undefined) return "";
  const { jobs, more } = count ?? { jobs: rows.length, more: false };
  const what = isFiltered ? "match" : jobs === 1 ? "job" : "jobs";
  return `${jobs.toLocaleString("en")}${more ? "+" : ""} ${what}`;
}

function PauseButton({ list }: { readonly list: JobList }): JSX.Element {
  const { isPaused, news, isAtTop } = list;
  return (
    <div class="actions">
      {news > 0 && !isLive(list) && (
        <Button kind="main" onPress={() => showNews(list)}>
          {news.toLocaleString("en")} new
        </Button>
      )}
      <Button
        icon={isPaused ? "play" : "pause"}
        isPressed={isPaused}
        onPress={() => pause(!isPaused)}
      >
        {isPaused ? "Paused" : isAtTop ? "Pause" : "Held while scrolled"}
      </Button>
    </div>
  );
}

function pause(isPaused: boolean): void {
  dispatch({ type: "jobs-paused", isPaused });
  const { news, filter } = state.peek().jobs;
  if (!isPaused && news > 0) void loadJobs(filter);
}

function showNews({ isPaused, filter }: JobList): void {
  document.querySelector(".jobs-list .virtual-list")?.scrollTo({ top: 0 });
  if (isPaused) pause(false);
  else void loadJobs(filter);
}

interface RowsProps {
  readonly list: JobList;
  readonly isFiltered: boolean;
}

function Rows({ list, isFiltered }: RowsProps): JSX.Element {
  const { rows, reading, problem, cursor, filter } = list;
  if (reading === "refused" && rows.length === 0) {
    return <Problem text={problem ?? ""} onRetry={() => void loadJobs(filter)} />;
  }
  if (rows.length === 0) {
    if (reading === "asking") return <Loading what="jobs" />;
    return (
      <div class="column">
        <Empty>
          {isFiltered ? "No job matches." : "There is no job. "}
          {!isFiltered && <a href="#/playground">Run one in the playground</a>}
        </Empty>
        <DeletedJobs filter={filter} />
      </div>
    );
  }
  return (
    <div class="jobs-list boxed">
      <div class="job-line job-head quiet" aria-hidden="true">
        <span />
        <span>Status</span>
        <span>Job</span>
        <span>Endpoint</span>
        <span>Submitted</span>
        <span class="number">Waited</span>
        <span class="number">Took</span>
        <span class="error">Error</span>
      </div>
      <VirtualList
        count={rows.length}
        rowHeight={rowHeight()}
        label={plural(rows.length, "job")}
        cursor={cursor}
        onEnd={() => void loadMore()}
        onTop={(isAtTop) => {
          if (state.peek().jobs.isAtTop !== isAtTop) dispatch({ type: "jobs-scrolled", isAtTop });
        }}
        keyOf={(index) => rows[index]?.id}
        renderRow={(index) => <JobRowLine list={list} index={index} />}
      />
    </div>
  );
}

function useJobKeys(toQuery: () => void): void {
  const list = () => state.peek().jobs;
  const step = (by: number) => dispatch({ type: "jobs-cursor", at: list().cursor + by });
  const current = () => list().rows[list().cursor]?.id;
  useKeys({
    j: () => step(1),
    ArrowDown: () => step(1),
    k: () => step(-1),
    ArrowUp: () => step(-1),
    f: toQuery,
    " ": () => pause(!list().isPaused),
    Enter: () => {
      const id = current();
      if (id !== undefined) goTo("job", [id]);
    },
    x: () => {
      const id = current();
      const isOn = id !== undefined && !list().selected.has(id);
      if (id !== undefined) dispatch({ type: "jobs-selected", ids: [id], isOn });
    },
    X: () => dispatch({ type: "jobs-all-selected", isOn: !list().isAllSelected }),
    c: () => void changeSelected("cancel"),
    r: () => void changeSelected("retry"),
  });
}

/** Rows have two lines on a narrow page, as in the styles. */
function rowHeight(): number {
  return window.matchMedia("(max-width: 760px)").matches ? 52 : 32;
}

interface JobRowProps {
  readonly list: JobList;
  readonly index: number;
}

function JobRowLine({ list, index }: JobRowProps): JSX.Element {
  const row = list.rows[index];
  if (row === undefined) return <span />;
  const { id, status, endpointId, submittedAt, delayTime, executionTime, error, errorType } = row;
  const isOn = list.isAllSelected || list.selected.has(id);
  return (
    <div class={`job-line ${index === list.cursor ? "current" : ""} ${isOn ? "selected" : ""}`}>
      <label class="tick">
        <input
          type="checkbox"
          checked={isOn}
          aria-label={`Select job ${shortId(id)}`}
          onChange={() => dispatch({ type: "jobs-selected", ids: [id], isOn: !isOn })}
        />
      </label>
      <Status of={status} />
      <a class="mono" href={hrefTo("job", [id])} title={id}>
        {shortId(id)}
      </a>
      <span class="cut endpoint" title={endpointId}>
        {endpointId}
      </span>
      <time class="number quiet" dateTime={submittedAt} title={submittedAt}>
        {formatInstant(submittedAt)}
      </time>
      <span class="number quiet waited">{formatDuration(delayTime)}</span>
      <span class="number took">{formatDuration(executionTime)}</span>
      {(error ?? errorType) !== undefined && (
        <span class="cut quiet error" title={error}>
          {errorType !== undefined && <b>{errorType}</b>} {error}
        </span>
      )}
    </div>
  );
}

/** Maximum shown: the newest. */
const MOST = "20";

function DeletedJobs({ filter }: { readonly filter: JobFilter }): JSX.Element | null {
  const { endpointId, search, status = ["FAILED"] } = filter;
  const isAsked = status.includes("FAILED") || status.includes("TIMED_OUT");
  const query = new URLSearchParams({
    limit: MOST,
    ...(endpointId !== undefined && { endpointId }),
    ...(search !== undefined && { search }),
  });
  const { value } = useRead<"listDeletedJobs">(
    isAsked ? `emulator/jobs/deleted?${query}` : undefined,
    { concerns: (event) => event.type === "job" && event.to === null },
  );
  if (value === undefined || value.jobs.length === 0) return null;
  return (
    <Panel title="Failed, and deleted since: their reports are kept for 24 h">
      <ul class="deleted-jobs stack">
        {value.jobs.map(({ id, endpointId: endpoint, error, deletedAt }) => (
          <li key={id} class="row">
            <JobLink id={id} />
            <span>{endpoint}</span>
            <span class="cut quiet" title={error}>
              {error}
            </span>
            <span class="quiet">
              deleted <Moment at={deletedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
