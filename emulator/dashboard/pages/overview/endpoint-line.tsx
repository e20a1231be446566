/** One endpoint in the overview. */
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { areaOf, lineOf, mostOf, stairs, type Values } from "../../components/chart-path.ts";
import { Badge } from "../../components/status.tsx";
import { hrefTo } from "../../route/route.ts";
import type { EndpointOverview } from "../../../../runtime/protocol/generated/answers.ts";
import { healthOf } from "../endpoint/endpoint-health.ts";
import { figuresOf } from "../endpoint/figures.tsx";

const OVER_LIMITS = "would have been refused in production";

/** The figures in their order. Classes move some of them on a narrow page. */
const FIGURES = [
  ["delay", "Delay p50 / p95", "wide"],
  ["execution", "Execution p50 / p95", "wide"],
  ["workers", "Workers", "overview-workers"],
  ["failed", "Failed, 5 min", ""],
  ["refused", "Over limits", ""],
] as const;

/** The heads of the columns. On a narrow page a label stands beside each value instead. */
export function LineHead(): JSX.Element {
  return (
    <div class="overview-line overview-head quiet" aria-hidden="true">
      <span>Endpoint</span>
      <span>State</span>
      <span class="number">Queued</span>
      <span class="number">Running</span>
      <span class="spark-head">
        <svg class="series warn" viewBox="0 0 8 8">
          <rect class="series-area" width="8" height="8" />
        </svg>
        queued
        <svg class="series busy" viewBox="0 0 8 8">
          <path class="series-line" d="M0 4h8" />
        </svg>
        running
      </span>
      {FIGURES.map(([figure, title]) => (
        <span
          key={figure}
          class={figure === "workers" ? "" : "number"}
          {...(figure === "refused" && { title: OVER_LIMITS })}
        >
          {title}
        </span>
      ))}
    </div>
  );
}

interface LineProps {
  readonly endpoint: EndpointOverview;
}

/** Drawn again only after a change: there may be hundreds of endpoints, read every second. */
export function EndpointLine({ endpoint }: LineProps): JSX.Element {
  const drawn = useRef(endpoint);
  if (JSON.stringify(drawn.current) !== JSON.stringify(endpoint)) drawn.current = endpoint;
  return useMemo(() => <Line endpoint={drawn.current} />, [drawn.current]);
}

function Line({ endpoint }: LineProps): JSX.Element {
  const { id, name, type } = endpoint;
  const figures = figuresOf(endpoint);
  return (
    <li class="overview-line">
      <div class="overview-name">
        <a href={hrefTo("endpoint", [id])}>{name}</a>
        {name !== id && <span class="quiet mono">{id}</span>}
        {type === "LOAD_BALANCING" && <span class="tag">servers</span>}
      </div>
      <Badge {...healthOf(endpoint)} />
      <Cell label="Queued">{figures.queued}</Cell>
      <Cell label="Running">{figures.running}</Cell>
      <Spark endpoint={endpoint} />
      {FIGURES.map(([figure, label, place]) => (
        <Cell key={figure} label={label} class={place}>
          {figures[figure]}
        </Cell>
      ))}
    </li>
  );
}

interface CellProps {
  readonly label: string;
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

const [WIDTH, HEIGHT] = [120, 24];

function Spark({ endpoint: { id, sparkline } }: LineProps): JSX.Element {
  const [queued, running] = [mostOf(sparkline.queued), mostOf(sparkline.running)];
  const most = Math.max(1, queued, running);
  // One pixel is left for the width of the line.
  const runsOf = (values: Values) =>
    stairs(
      values,
      (index) => (index / values.length) * WIDTH,
      (value) => HEIGHT - 1 - (value / most) * (HEIGHT - 2),
    );
  const label = `Last 10 minutes: at most ${queued} queued and ${running} running`;
  return (
    <a class="spark" href={hrefTo("endpoint", [id])} aria-label={label} title={label}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <g class="series warn">
          <path class="series-area" d={areaOf(runsOf(sparkline.queued), HEIGHT - 1)} />
        </g>
        <g class="series busy">
          <path class="series-line" d={lineOf(runsOf(sparkline.running))} />
        </g>
      </svg>
    </a>
  );
}
