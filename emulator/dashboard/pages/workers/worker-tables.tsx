/** All workers, or those of one endpoint: at the top those there are, below those that ended within the last hour. */
import type { ComponentChildren, JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { FilterTags } from "../../components/filter-tags.tsx";
import { formatDuration, plural } from "../../format.ts";
import { EndpointLink, JobLink, WorkerLink } from "../../components/links.tsx";
import { Moment } from "../../components/moment.tsx";
import { Panel } from "../../components/panel.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { goTo } from "../../route/address.ts";
import type { OperatedWorker } from "../../service/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { MemoryLine } from "./memory-chart.tsx";
import { WorkerState } from "./worker-state.tsx";
import { deviceOf, endOf, fitting, RUNNING_STATES, startMs } from "./worker-labels.ts";

/** Memory is looked at so often by the service too. */
const READ_MS = 10_000;

interface WorkerTablesProps {
  readonly query: Readonly<Record<string, string>>;
}

export function WorkerTables({ query }: WorkerTablesProps): JSX.Element {
  const { value, problem, again } = useRead<"listWorkers">("emulator/workers?lines=0&past=0", {
    concerns: ({ type }) => type === "worker" || type === "job",
    everyMs: READ_MS,
  });
  const { endpoint = "", state = "" } = query;
  const ofEndpoint = fitting(value?.workers ?? [], { endpoint });
  const shown = fitting(ofEndpoint, { state });
  const ended = shown.filter((worker) => worker.state === "ended").toReversed();
  const running = shown.filter((worker) => worker.state !== "ended");
  const isRunningWanted = state !== "ended";
  const isEndedWanted = state === "" || state === "ended";
  return (
    <div class="page">
      <div class="page-head">
        <h1>Workers</h1>
        <States query={query} workers={ofEndpoint} />
        <FilterTags
          page="workers"
          query={query}
          shown={{ endpoint: <EndpointLink id={endpoint} /> }}
        />
      </div>
      {problem !== undefined && <Problem text={problem} onRetry={again} />}
      {value === undefined && problem === undefined && <Loading what="workers" />}
      {value !== undefined && isRunningWanted && (
        <Running workers={running} isNarrowed={state !== ""} />
      )}
      {value !== undefined && isEndedWanted && <Ended workers={ended} />}
    </div>
  );
}

interface StatesProps extends WorkerTablesProps {
  readonly workers: readonly OperatedWorker[];
}

/** How many there are in each state, each a way to see only those. */
function States({ query, workers }: StatesProps): JSX.Element {
  const { state: chosen = "" } = query;
  const states = [...RUNNING_STATES, "ended"] as const;
  const counts = states.map(
    (state) => [state, workers.filter((worker) => worker.state === state).length] as const,
  );
  const listed = counts.filter(([state, count]) => count > 0 || state === chosen);
  const choices: readonly (readonly [string, string])[] = [
    ["", "all"],
    ...listed.map(([state, count]) => [state, `${state} ${count}`] as const),
  ];
  return (
    <div class="row" role="group" aria-label="State">
      {choices.map(([state, label]) => (
        <Button
          key={state}
          isPressed={state === chosen}
          onPress={() => goTo("workers", [], { ...query, state })}
        >
          {label}
        </Button>
      ))}
    </div>
  );
}

interface TableProps {
  readonly title: string;
  readonly heads: readonly (readonly [string, string])[];
  readonly children: ComponentChildren;
}

function Table({ title, heads, children }: TableProps): JSX.Element {
  return (
    <Panel title={title}>
      <div class="table-scroll">
        <table class="records">
          <thead>
            <tr>
              {heads.map(([head, kind]) => (
                <th key={head} class={kind}>
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </div>
    </Panel>
  );
}

const RUNNING_HEADS = [
  ["Worker", ""],
  ["State", ""],
  ["Endpoint", ""],
  ["Version", "number roomy"],
  ["Device", "roomy"],
  ["Runs in", "roomy ample"],
  ["Memory", ""],
  ["Jobs", ""],
  ["Start took", "number roomy ample"],
  ["Age", "number roomy"],
] as const;

interface RunningProps {
  readonly workers: readonly OperatedWorker[];
  readonly isNarrowed: boolean;
}

function Running({ workers, isNarrowed }: RunningProps): JSX.Element {
  const now = useServiceNow();
  if (workers.length === 0) {
    return (
      <Panel title="Running">
        <Empty>
          {isNarrowed
            ? "No worker is in that state."
            : "No worker runs. The scaler starts one when a job waits, or where workersMin wants one."}
        </Empty>
      </Panel>
    );
  }
  return (
    <Table title="Running" heads={RUNNING_HEADS}>
      {workers.map((worker) => (
        <RunningRow key={worker.id} worker={worker} now={now} />
      ))}
    </Table>
  );
}

interface RowProps {
  readonly worker: OperatedWorker;
}

function RunningRow({ worker, now }: RowProps & { readonly now: number | undefined }): JSX.Element {
  const { id, endpointId, version, launcher, memory, jobs, startedAt } = worker;
  return (
    <tr>
      <td>
        <WorkerLink id={id} />
      </td>
      <td>
        <WorkerState of={worker} />
      </td>
      <td>
        <EndpointLink id={endpointId} />
      </td>
      <td class="number roomy">{version}</td>
      <td class="roomy device" title={deviceOf(worker)}>
        {deviceOf(worker)}
      </td>
      <td class="roomy ample">{launcher}</td>
      <td>
        <MemoryLine memory={memory} />
      </td>
      <td>
        <Jobs jobs={jobs} />
      </td>
      <td class="number roomy ample">{formatDuration(startMs(worker))}</td>
      <td class="number roomy">
        {now === undefined ? "–" : formatDuration(Math.max(0, now - Date.parse(startedAt)))}
      </td>
    </tr>
  );
}

/** The first, and how many more. */
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

const ENDED_HEADS = [
  ["Worker", ""],
  ["State", "roomy"],
  ["Endpoint", ""],
  ["Version", "number roomy"],
  ["Ended", ""],
  ["Lived", "number roomy"],
  ["How", ""],
] as const;

function Ended({ workers }: { readonly workers: readonly OperatedWorker[] }): JSX.Element {
  if (workers.length === 0) {
    return (
      <Panel title="Ended within the last hour">
        <Empty>None.</Empty>
      </Panel>
    );
  }
  return (
    <Table
      title={`Ended within the last hour: ${plural(workers.length, "worker")}`}
      heads={ENDED_HEADS}
    >
      {workers.map((worker) => (
        <EndedRow key={worker.id} worker={worker} />
      ))}
    </Table>
  );
}

function EndedRow({ worker }: RowProps): JSX.Element {
  const { id, endpointId, version, startedAt, endedAt } = worker;
  return (
    <tr>
      <td>
        <WorkerLink id={id} />
      </td>
      <td class="roomy">
        <WorkerState of={worker} />
      </td>
      <td>
        <EndpointLink id={endpointId} />
      </td>
      <td class="number roomy">{version}</td>
      <td>
        <Moment at={endedAt} />
      </td>
      <td class="number roomy">
        {endedAt && formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}
      </td>
      <td class="how">{endOf(worker)}</td>
    </tr>
  );
}
