/** All endpoints, the numbers of one with links to the jobs, workers or limits behind them, and its concerns. */
import type { ComponentChildren, JSX } from "preact";
import { EndpointLink } from "../../components/links.tsx";
import { Badge } from "../../components/status.tsx";
import { formatDuration } from "../../format/format.ts";
import type {
  EndpointOverview,
  EndpointOverviews,
} from "../../../../runtime/protocol/generated/answers.ts";
import { type Reading, useRead } from "../../service/use-read.ts";
import type { ServiceEvent } from "../../state/service-event.ts";
import { type Concern, FAILED, jobsOf, limitsOf, workersOf } from "./endpoint-health.ts";

interface FigureProps {
  readonly value: number;
  readonly href: string;
  /** The tone of a value that is not 0. */
  readonly tone?: "bad" | "warn" | "";
}

export function Figure({ value, href, tone = "" }: FigureProps): JSX.Element {
  return (
    <a class={`figure ${value === 0 ? "none" : tone}`} href={href}>
      {value.toLocaleString("en")}
    </a>
  );
}

/** The figures that the line of an endpoint and its page have in common. */
export function figuresOf(endpoint: EndpointOverview) {
  const { id, jobs, newest, refusedInProduction } = endpoint;
  const slower = (word: "waited" | "took") => (ms: number) =>
    jobsOf(id, `${word}:>${ms}ms`, "since:5m");
  return {
    queued: <Figure value={jobs.inQueue} href={jobsOf(id, "status:queued")} />,
    running: <Figure value={jobs.inProgress} href={jobsOf(id, "status:running")} />,
    delay: <Quantiles low={newest.delayP50} high={newest.delayP95} href={slower("waited")} />,
    execution: (
      <Quantiles low={newest.executionP50} high={newest.executionP95} href={slower("took")} />
    ),
    workers: <WorkerCounts endpoint={endpoint} />,
    failed: <Figure value={newest.failed} href={jobsOf(id, FAILED)} tone="bad" />,
    refused: <Figure value={refusedInProduction} href={limitsOf(id)} tone="warn" />,
  };
}

interface QuantilesProps {
  /** In ms. */
  readonly low: number | null;
  readonly high: number | null;
  /** Leads to the jobs that took longer. */
  readonly href: (ms: number) => string;
}

function Quantiles({ low, high, href }: QuantilesProps): JSX.Element {
  if (low === null || high === null) return <span class="quiet">–</span>;
  return (
    <span>
      <a class="figure" href={href(low)}>
        {formatDuration(low)}
      </a>
      <span class="quiet"> / </span>
      <a class="figure" href={href(high)}>
        {formatDuration(high)}
      </a>
    </span>
  );
}

/** In the order of a worker's life. */
const WORKER_STATES = [
  ["ready", "ready", ""],
  ["initializing", "starting", ""],
  ["draining", "draining", ""],
  ["unhealthy", "unhealthy", "bad"],
  ["lost", "lost", "bad"],
] as const;

function WorkerCounts({ endpoint }: { readonly endpoint: EndpointOverview }): JSX.Element {
  const { id, workers, workersMax } = endpoint;
  const present = WORKER_STATES.filter(([state]) => workers[state] > 0);
  return (
    <span class="worker-counts">
      {present.length === 0 && (
        <a class="figure none" href={workersOf(id)}>
          none
        </a>
      )}
      {present.map(([state, word, tone]) => (
        <a key={state} class={`figure ${tone}`} href={workersOf(id, state)}>
          {workers[state]} {word}
        </a>
      ))}
      <span class="quiet">max {workersMax}</span>
    </span>
  );
}

interface ConcernsProps {
  /** With an endpoint: the list names it. */
  readonly concerns: readonly (Concern & { readonly endpointId?: string })[];
  readonly children?: ComponentChildren;
}

export function Concerns({ concerns, children }: ConcernsProps): JSX.Element {
  return (
    <ul class="concerns boxed" aria-label="What needs a look">
      {concerns.map(({ endpointId = "", tone, text, href }) => (
        <li key={`${endpointId} ${text}`} class={tone}>
          <Badge
            icon={tone === "bad" ? "failed" : "warning"}
            word={tone === "bad" ? "trouble" : "limits"}
            tone={tone}
          />
          {endpointId !== "" && <EndpointLink id={endpointId} />}
          <a href={href}>{text}</a>
        </li>
      ))}
      {children}
    </ul>
  );
}

/** Interval between reads, ms: the durations of the last minutes change with time. */
const EVERY_MS = 10_000;
/** Minimum interval between reads after events, ms. */
const PACE_MS = 1_000;

export function useOverviews(): Reading<EndpointOverviews> {
  return useRead<"observeEndpoints">("emulator/endpoints", {
    concerns: ({ type }: ServiceEvent) => type !== "webhook" && type !== "attempt",
    paceMs: PACE_MS,
    everyMs: EVERY_MS,
  });
}
