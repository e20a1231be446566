/** One worker: its start, its memory, its jobs, its log. */
import type { JSX } from "preact";
import { Button, CopyButton } from "../../components/button.tsx";
import { formatDuration, shortId } from "../../format/format.ts";
import { EndpointLink, JobLink, Moment } from "../../components/links.tsx";
import { Facts, Panel } from "../../components/panel.tsx";
import { StageBars } from "../../components/stage-bars.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { hrefTo } from "../../route/route.ts";
import type { OperatedWorker } from "../../../../runtime/protocol/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { MemoryChart } from "./memory.tsx";
import { startStages } from "./start-stages.ts";
import { WorkerActions } from "./worker-actions.tsx";
import { WorkerState } from "./worker-state.tsx";
import { deviceOf, endOf, gpuUseLabel, startMs } from "./worker-labels.ts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { LogLines } from "../../components/log-lines.tsx";
import { type Column, Records } from "../../components/records.tsx";
import { Badge, outcomeBadge } from "../../components/status.tsx";

/** Interval between reads, ms: no event says that a line was logged. */
const READ_MS = 2_000;

export function WorkerPage({ id }: { readonly id: string }): JSX.Element {
  const path = `emulator/workers?workerId=${encodeURIComponent(id)}`;
  const read = useRead<"listWorkers">(path, {
    concerns: ({ type }) => type === "worker" || type === "job",
    everyMs: READ_MS,
  });
  const worker = read.value?.workers[0];
  return (
    <div class="page">
      <div class="page-head">
        <a href={hrefTo("workers")}>Workers</a>
        <h1 class="mono worker-id" title={id}>
          {shortId(id)}
        </h1>
        <CopyButton text={() => id} what="the id" />
        {worker && <WorkerState of={worker} />}
        <span class="spring" />
        {worker && <WorkerActions worker={worker} />}
      </div>
      <Answer of={read} what="the worker">
        {() =>
          worker === undefined ? (
            <Empty>There is no such worker, or it ended more than an hour ago.</Empty>
          ) : (
            <Details worker={worker} />
          )
        }
      </Answer>
    </div>
  );
}

interface WorkerProps {
  readonly worker: OperatedWorker;
}

function Details({ worker }: WorkerProps): JSX.Element {
  const { memory, gpuMemory = [] } = worker;
  return (
    <div class="columns even">
      <About worker={worker} />
      <Panel title="Start" actions={<span class="quiet">{startLabel(worker)}</span>}>
        <Start worker={worker} />
      </Panel>
      <Panel title="Memory">
        {memory === undefined ? (
          <Empty>{noMemoryLabel(worker)}</Empty>
        ) : (
          <MemoryChart memory={memory} />
        )}
      </Panel>
      <WorkerJobs worker={worker} />
      {gpuMemory.length > 0 && <GpuPanel gpuMemory={gpuMemory} />}
      <WorkerLines worker={worker} />
    </div>
  );
}

function About({ worker }: WorkerProps): JSX.Element {
  const now = useServiceNow();
  const { endpointId, version, startedAt, drainingAt, endedAt, waitsFor } = worker;
  const until = endedAt === undefined ? now : Date.parse(endedAt);
  return (
    <Panel title="About">
      <Facts
        facts={[
          ["Endpoint", <EndpointLink id={endpointId} />],
          ["Version", version],
          ["Device", deviceOf(worker)],
          ["Runs in", placeOf(worker)],
          ["Started", <Moment at={startedAt} />],
          ["Asked to stop", drainingAt && <Moment at={drainingAt} />],
          ["Ended", endedAt && <Moment at={endedAt} />],
          [
            endedAt === undefined ? "Age" : "Lived",
            until === undefined ? "–" : formatDuration(Math.max(0, until - Date.parse(startedAt))),
          ],
        ]}
      />
      {endedAt !== undefined && <p class="end-sentence">It {endOf(worker)}.</p>}
      {waitsFor !== undefined && <p class="end-sentence">It does not run yet: {waitsFor}.</p>}
    </Panel>
  );
}

const TITLES = {
  pull: "its program was started",
  boot: "its program ran until its first message",
  setup: "its handler was loaded and set up",
} as const;

function Start({ worker }: WorkerProps): JSX.Element {
  const now = useServiceNow() ?? 0;
  const isPulled = worker.launcher === "container";
  const stages = startStages(worker).map(({ name, fromMs, toMs = Math.max(now, fromMs) }) => ({
    ...{ name, fromMs, toMs },
    title: name === "pull" && isPulled ? "its image was pulled" : TITLES[name],
  }));
  return <StageBars stages={stages} hasTitles />;
}

function placeOf({ launcher, pid, container, pod }: OperatedWorker): string {
  if (pod !== undefined) return `${launcher} ${pod}`;
  if (container !== undefined) return `${launcher} ${container.slice(0, 12)}`;
  return pid === undefined ? launcher : `${launcher} ${pid}`;
}

function startLabel(worker: OperatedWorker): string {
  const ms = startMs(worker);
  if (ms !== undefined) return `ready after ${formatDuration(ms)}`;
  return worker.endedAt === undefined ? "not ready yet" : "was never ready";
}

function noMemoryLabel({ launcher, endedAt }: OperatedWorker): string {
  if (launcher === "container") return "Not measured for containers.";
  if (launcher === "pod") return "Not measured for pods.";
  if (launcher === "function") return "It runs in the service's own process.";
  if (launcher === "external") return "It was started elsewhere.";
  return endedAt === undefined
    ? "The first sample comes within 10 s."
    : "It ended before the first sample.";
}

function GpuPanel({
  gpuMemory,
}: {
  readonly gpuMemory: NonNullable<OperatedWorker["gpuMemory"]>;
}): JSX.Element {
  return (
    <Panel title="GPU" class="whole-width">
      {gpuMemory.map((gpu) => (
        <label key={gpu.id} class="gpu">
          <span class="mono" title={gpu.id}>
            {shortId(gpu.id)}
          </span>
          <meter min={0} max={gpu.totalBytes} value={gpu.usedBytes} />
          <span class="number">{gpuUseLabel(gpu)}</span>
        </label>
      ))}
    </Panel>
  );
}

/** Maximum distance from the end that counts as the end, px. */
const END_PX = 8;

function WorkerLines({ worker }: { readonly worker: OperatedWorker }): JSX.Element {
  const { lines, endedAt } = worker;
  const list = useRef<HTMLOListElement>(null);
  const [isFollowed, setFollowed] = useState(true);
  const newest = `${lines.at(-1)?.at} ${lines.length}`;
  useLayoutEffect(() => {
    if (isFollowed) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [isFollowed, newest]);
  const scrolled = ({ currentTarget: box }: { readonly currentTarget: Element }) =>
    setFollowed(box.scrollHeight - box.scrollTop - box.clientHeight < END_PX);
  return (
    <Panel
      title="Newest lines"
      class="whole-width"
      actions={
        endedAt === undefined && (
          <Button isPressed={isFollowed} onPress={() => setFollowed(!isFollowed)}>
            Follow
          </Button>
        )
      }
    >
      {lines.length === 0 && <p class="quiet">It wrote none.</p>}
      {lines.length > 0 && <LogLines lines={lines} list={list} onScroll={scrolled} />}
    </Panel>
  );
}

/** Maximum number of former jobs that the service keeps of a worker. */
const MOST_PAST = 200;

const PAST: readonly Column<OperatedWorker["past"][number]>[] = [
  { head: "Job", cell: ({ jobId }) => <JobLink id={jobId} /> },
  { head: "Outcome", cell: ({ outcome }) => <Badge {...outcomeBadge(outcome)} /> },
  { head: "Ended", cell: ({ endedAt }) => <Moment at={endedAt} /> },
  {
    head: "Took",
    kind: "number",
    cell: ({ startedAt, endedAt }) => formatDuration(Date.parse(endedAt) - Date.parse(startedAt)),
  },
];

function WorkerJobs({ worker }: { readonly worker: OperatedWorker }): JSX.Element {
  const { jobs, past, endedAt } = worker;
  const known = past.length < MOST_PAST ? String(past.length) : `the newest ${MOST_PAST}`;
  return (
    <Panel title="Jobs">
      {endedAt === undefined && <h3>Now: {jobs.length === 0 ? "none" : jobs.length}</h3>}
      {jobs.length > 0 && <CurrentJobs jobs={jobs} />}
      <h3>Before: {past.length === 0 ? "none" : known}</h3>
      {past.length > 0 && (
        <div class="past-scroll" tabIndex={0} role="region" aria-label="Jobs before">
          <Records
            columns={PAST}
            rows={past.toReversed()}
            keyOf={({ jobId, startedAt }) => `${jobId} ${startedAt}`}
          />
        </div>
      )}
    </Panel>
  );
}

function CurrentJobs({ jobs }: Pick<OperatedWorker, "jobs">): JSX.Element {
  const now = useServiceNow();
  return (
    <ul class="stack">
      {jobs.map(({ jobId, startedAt }) => (
        <li key={jobId} class="row">
          <JobLink id={jobId} />
          <span class="quiet">
            since <Moment at={startedAt} />
          </span>
          <span class="spring" />
          <span class="number">
            {now !== undefined && formatDuration(Math.max(0, now - Date.parse(startedAt)))}
          </span>
        </li>
      ))}
    </ul>
  );
}
