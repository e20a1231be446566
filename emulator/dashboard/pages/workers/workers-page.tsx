/** The running workers and the workers that ended within the last hour, of all endpoints or one; or one worker. */
import type { JSX } from "preact";
import { Choices } from "../../components/button.tsx";
import { FilterTags } from "../../components/filter-tags.tsx";
import { EndpointLink, JobLink, Moment, WorkerLink } from "../../components/links.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Records } from "../../components/records.tsx";
import { Answer, Empty, Page } from "../../components/states.tsx";
import { formatDuration, plural } from "../../format/format.ts";
import { goTo } from "../../route/address.ts";
import type { PageProps } from "../../route/route.ts";
import type { OperatedWorker } from "../../../../runtime/protocol/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { MemoryLine } from "./memory.tsx";
import { deviceOf, endOf, fitting, RUNNING_STATES, startMs } from "./worker-labels.ts";
import { WorkerPage } from "./worker-page.tsx";
import { WorkerState } from "./worker-state.tsx";

/** Interval between reads, ms: the service measures memory as often. */
const READ_MS = 10_000;

interface WorkerTablesProps {
  readonly query: Readonly<Record<string, string>>;
}

function WorkerTables({ query }: WorkerTablesProps): JSX.Element {
  const read = useRead<"listWorkers">("emulator/workers?lines=0&past=0", {
    concerns: ({ type }) => type === "worker" || type === "job",
    everyMs: READ_MS,
  });
  const { endpoint = "", state = "" } = query;
  const ofEndpoint = fitting(read.value?.workers ?? [], { endpoint });
  const shown = fitting(ofEndpoint, { state });
  const tags = { endpoint: <EndpointLink id={endpoint} /> };
  const head = (
    <>
      <Choices
        label="State"
        choices={stateChoices(ofEndpoint, state)}
        chosen={state}
        onChoose={(chosen) => goTo("workers", [], { ...query, state: chosen })}
      />
      <FilterTags page="workers" query={query} shown={tags} />
    </>
  );
  return (
    <Page title="Workers" head={head}>
      <Answer of={read} what="workers">
        {() => (
          <>
            {state !== "ended" && (
              <Running
                workers={shown.filter((worker) => worker.state !== "ended")}
                isNarrowed={state !== ""}
              />
            )}
            {(state === "" || state === "ended") && (
              <Ended workers={shown.filter((worker) => worker.state === "ended").toReversed()} />
            )}
          </>
        )}
      </Answer>
    </Page>
  );
}

function stateChoices(
  workers: readonly OperatedWorker[],
  chosen: string,
): readonly (readonly [string, string])[] {
  const counts = [...RUNNING_STATES, "ended"].map(
    (state) => [state, fitting(workers, { state }).length] as const,
  );
  return [
    ["", "all"],
    ...counts
      .filter(([state, count]) => count > 0 || state === chosen)
      .map(([state, count]) => [state, `${state} ${count}`] as const),
  ];
}

interface TableProps {
  readonly workers: readonly OperatedWorker[];
}

const WORKER: Column<OperatedWorker> = { head: "Worker", cell: ({ id }) => <WorkerLink id={id} /> };
const STATE: Column<OperatedWorker> = {
  head: "State",
  cell: (worker) => <WorkerState of={worker} />,
};
const OF_ENDPOINT: readonly Column<OperatedWorker>[] = [
  { head: "Endpoint", cell: ({ endpointId }) => <EndpointLink id={endpointId} /> },
  { head: "Version", kind: "number roomy", cell: ({ version }) => version },
];

function runningColumns(now: number | undefined): readonly Column<OperatedWorker>[] {
  return [
    ...[WORKER, STATE, ...OF_ENDPOINT],
    {
      head: "Device",
      kind: "roomy device cut",
      cell: (worker) => <span title={deviceOf(worker)}>{deviceOf(worker)}</span>,
    },
    { head: "Runs in", kind: "roomy ample", cell: ({ launcher }) => launcher },
    { head: "Memory", cell: ({ memory }) => <MemoryLine memory={memory} /> },
    { head: "Jobs", cell: ({ jobs }) => <Jobs jobs={jobs} /> },
    {
      head: "Start took",
      kind: "number roomy ample",
      cell: (worker) => formatDuration(startMs(worker)),
    },
    {
      head: "Age",
      kind: "number roomy",
      cell: ({ startedAt }) =>
        formatDuration(now === undefined ? now : Math.max(0, now - Date.parse(startedAt))),
    },
  ];
}

function Running({ workers, isNarrowed }: TableProps & { isNarrowed: boolean }): JSX.Element {
  const now = useServiceNow();
  return (
    <Panel title="Running">
      {workers.length > 0 ? (
        <Records columns={runningColumns(now)} rows={workers} keyOf={({ id }) => id} />
      ) : (
        <Empty>
          {isNarrowed
            ? "No worker is in that state."
            : "No worker runs. The scaler starts one for a waiting job, or for workersMin."}
        </Empty>
      )}
    </Panel>
  );
}

function Jobs({ jobs }: Pick<OperatedWorker, "jobs">): JSX.Element {
  const [first] = jobs;
  if (first === undefined) return <span class="quiet">no job</span>;
  return (
    <>
      <JobLink id={first.jobId} />
      {jobs.length > 1 && <span class="quiet"> and {jobs.length - 1} more</span>}
    </>
  );
}

const ENDED: readonly Column<OperatedWorker>[] = [
  ...[WORKER, { ...STATE, kind: "roomy" }, ...OF_ENDPOINT],
  { head: "Ended", cell: ({ endedAt }) => <Moment at={endedAt} /> },
  {
    head: "Lived",
    kind: "number roomy",
    cell: ({ startedAt, endedAt }) =>
      endedAt && formatDuration(Date.parse(endedAt) - Date.parse(startedAt)),
  },
  { head: "How", kind: "how", cell: endOf },
];

function Ended({ workers }: TableProps): JSX.Element {
  const count = workers.length === 0 ? "" : `: ${plural(workers.length, "worker")}`;
  return (
    <Panel title={`Ended within the last hour${count}`}>
      {workers.length > 0 ? (
        <Records columns={ENDED} rows={workers} keyOf={({ id }) => id} />
      ) : (
        <Empty>None.</Empty>
      )}
    </Panel>
  );
}

export function WorkersPage({ route: { parts, query } }: PageProps): JSX.Element {
  const [id] = parts;
  return id === undefined ? <WorkerTables query={query} /> : <WorkerPage key={id} id={id} />;
}
