/** One endpoint of the overview: every number leads to the jobs or workers that it counts. */
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { formatDuration, plural } from "../../format.ts";
import { Badge } from "../../components/status.tsx";
import { hrefTo } from "../../route/route.ts";
import type { EndpointOverview } from "../../service/generated/answers.ts";
import { jobsOf, limitsOf, workersOf } from "../endpoint/links.ts";
import { sparkline } from "./sparkline.ts";
import { FAILED, healthOf } from "../endpoint/endpoint-health.ts";

const OVER_LIMITS = "would have been refused in production";

/** The names of the columns; on a narrow screen each stands beside its value. */
export function LineHead(): JSX.Element {
  return (
    <div class="overview-line overview-head quiet" aria-hidden="true">
      <span>Endpoint</span>
      <span>State</span>
      <span class="number">Queued</span>
      <span class="number">Running</span>
      <span class="spark-head">
        <svg viewBox="0 0 8 8">
          <rect class="spark-queued" width="8" height="8" />
        </svg>
        queued
        <svg viewBox="0 0 8 8">
          <path class="spark-running" d="M0 4h8" />
        </svg>
        running
      </span>
      <span class="number">Delay p50 / p95</span>
      <span class="number">Execution p50 / p95</span>
      <span>Workers</span>
      <span class="number">Failed, 5 min</span>
      <span class="number" title={OVER_LIMITS}>
        Over limits
      </span>
    </div>
  );
}

interface LineProps {
  readonly endpoint: EndpointOverview;
}

/** Drawn anew only if something of the endpoint changed: there may be hundreds, asked for every second. */
export function EndpointLine({ endpoint }: LineProps): JSX.Element {
  const drawn = useRef(endpoint);
  if (JSON.stringify(drawn.current) !== JSON.stringify(endpoint)) drawn.current = endpoint;
  return useMemo(() => <Line endpoint={drawn.current} />, [drawn.current]);
}

function Line({ endpoint }: LineProps): JSX.Element {
  const { id, name, type, jobs, newest, refusedInProduction } = endpoint;
  return (
    <li class="overview-line">
      <div class="overview-name">
        <a href={hrefTo("endpoint", [id])}>{name}</a>
        {name !== id && <span class="quiet mono">{id}</span>}
        {type === "LOAD_BALANCING" && <span class="tag">servers</span>}
      </div>
      <Badge {...healthOf(endpoint)} />
      <Cell label="Queued">
        <Figure value={jobs.inQueue} href={jobsOf(id, "status:queued")} />
      </Cell>
      <Cell label="Running">
        <Figure value={jobs.inProgress} href={jobsOf(id, "status:running")} />
      </Cell>
      <Spark endpoint={endpoint} />
      <Cell label="Delay p50 / p95" class="wide">
        <Quantiles
          low={newest.delayP50}
          high={newest.delayP95}
          href={(ms) => jobsOf(id, `waited:>${ms}ms`, "since:5m")}
        />
      </Cell>
      <Cell label="Execution p50 / p95" class="wide">
        <Quantiles
          low={newest.executionP50}
          high={newest.executionP95}
          href={(ms) => jobsOf(id, `took:>${ms}ms`, "since:5m")}
        />
      </Cell>
      <Cell label="Workers" class="overview-workers">
        <WorkerCounts endpoint={endpoint} />
      </Cell>
      <Cell label="Failed, 5 min">
        <Figure value={newest.failed} href={jobsOf(id, FAILED)} tone="bad" />
      </Cell>
      <Cell label="Over limits">
        <Figure
          value={refusedInProduction}
          href={limitsOf(id)}
          tone="warn"
          title={`${plural(refusedInProduction, "request")} ${OVER_LIMITS}`}
        />
      </Cell>
    </li>
  );
}

interface CellProps {
  readonly label: string;
  /** For its place on a narrow screen. */
  readonly class?: string;
  readonly children: ComponentChildren;
}

function Cell({ label, class: more = "", children }: CellProps): JSX.Element {
  return (
    <div class={`overview-cell number ${more}`}>
      <span class="cell-label">{label}</span>
      {children}
    </div>
  );
}

interface FigureProps {
  readonly value: number;
  readonly href: string;
  /** Where it is not 0. */
  readonly tone?: "bad" | "warn";
  readonly title?: string;
}

function Figure({ value, href, tone, title }: FigureProps): JSX.Element {
  return (
    <a class={`figure ${value === 0 ? "none" : (tone ?? "")}`} href={href} title={title}>
      {value.toLocaleString("en")}
    </a>
  );
}

interface QuantilesProps {
  /** ms. */
  readonly low: number | null;
  readonly high: number | null;
  /** The jobs that took at least so long. */
  readonly href: (ms: number) => string;
}

export function Quantiles({ low, high, href }: QuantilesProps): JSX.Element {
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

/** In the order of a life; the words as they are shown. */
const WORKER_STATES = [
  ["ready", "ready"],
  ["initializing", "starting"],
  ["draining", "draining"],
  ["unhealthy", "unhealthy"],
  ["lost", "lost"],
] as const;

export function WorkerCounts({ endpoint: { id, workers, workersMax } }: LineProps): JSX.Element {
  const present = WORKER_STATES.filter(([state]) => workers[state] > 0);
  return (
    <span class="worker-counts">
      {present.length === 0 && (
        <a class="figure none" href={workersOf(id)}>
          none
        </a>
      )}
      {present.map(([state, word]) => (
        <a
          key={state}
          class={`figure ${state === "unhealthy" || state === "lost" ? "bad" : ""}`}
          href={workersOf(id, state)}
        >
          {workers[state]} {word}
        </a>
      ))}
      <span class="quiet">max {workersMax}</span>
    </span>
  );
}

const SPARK = { width: 120, height: 24 };

function Spark({ endpoint: { id, sparkline: points } }: LineProps): JSX.Element {
  const { queued, running, mostQueued, mostRunning } = sparkline(
    points.queued,
    points.running,
    SPARK,
  );
  const words = `Last 10 minutes: at most ${mostQueued} queued and ${mostRunning} running`;
  return (
    <a class="spark" href={hrefTo("endpoint", [id])} aria-label={words} title={words}>
      <svg
        viewBox={`0 0 ${SPARK.width} ${SPARK.height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        <path class="spark-queued" d={queued} />
        <path class="spark-running" d={running} />
      </svg>
    </a>
  );
}
