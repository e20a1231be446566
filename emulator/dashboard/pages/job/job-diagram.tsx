/** Draws the states of a job, its current state, and the next ones. */
import type { JSX } from "preact";
import type { JobStatus } from "../../../../runtime/protocol/job-status.ts";
import { statusWord } from "../../components/status.tsx";
import { PLACES, type Way, WAYS } from "./state-diagram.ts";

const WIDTH = 104;
const HEIGHT = 28;

export function JobDiagram({ status }: { readonly status: JobStatus }): JSX.Element {
  const next = WAYS.filter(({ from }) => from === status);
  return (
    <div class="diagram">
      <svg viewBox="0 0 620 170" role="img" aria-label={`The job is ${statusWord(status)}.`}>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="6"
            markerHeight="6"
            orient="auto-start-reverse"
          >
            <path d="M0 0 8 4 0 8Z" />
          </marker>
        </defs>
        {WAYS.map((way) => (
          <path
            key={`${way.from} ${way.to}`}
            class={`way ${way.from === status ? "next" : ""}`}
            d={pathOf(way)}
            marker-end="url(#arrow)"
          >
            <title>{way.events.join(", ")}</title>
          </path>
        ))}
        {(Object.keys(PLACES) as JobStatus[]).map((name) => (
          <State key={name} name={name} isCurrent={name === status} />
        ))}
      </svg>
      <p class="quiet">
        {next.length === 0
          ? "Nothing changes it until it is deleted."
          : `From here: ${next.map(({ to, events }) => `${events.join(" or ")} → ${statusWord(to)}`).join(" · ")}`}
      </p>
    </div>
  );
}

interface StateProps {
  readonly name: JobStatus;
  readonly isCurrent: boolean;
}

function State({ name, isCurrent }: StateProps): JSX.Element {
  const { x, y } = PLACES[name];
  return (
    <g class={`state ${isCurrent ? "current" : ""}`} transform={`translate(${x} ${y})`}>
      <rect x={-WIDTH / 2} y={-HEIGHT / 2} width={WIDTH} height={HEIGHT} rx="14" />
      <text text-anchor="middle" dy="4">
        {isCurrent ? `▸ ${statusWord(name)}` : statusWord(name)}
      </text>
    </g>
  );
}

/** Arrows go from left to right. Arrows back go below or above. */
function pathOf({ from, to }: Way): string {
  const [a, b] = [PLACES[from], PLACES[to]];
  const half = WIDTH / 2;
  if (a.x === b.x) {
    const bend = 24 + Math.abs(b.y - a.y) / 6;
    return `M${a.x + half} ${a.y}C${a.x + half + bend} ${a.y} ${b.x + half + bend} ${b.y} ${b.x + half + 2} ${b.y}`;
  }
  if (from === "IN_QUEUE" && to !== "IN_PROGRESS") {
    const isBelow = b.y > a.y;
    const level = isBelow ? 164 : 6;
    return `M${a.x} ${isBelow ? a.y + 14 : a.y - 14}C${a.x} ${level} ${a.x + 60} ${level} ${a.x + 160} ${level}S${b.x - 160} ${b.y} ${b.x - half - 2} ${b.y}`;
  }
  if (from === "IN_PROGRESS" && to === "IN_QUEUE") {
    return `M${a.x - half} ${a.y + 7}L${b.x + half + 2} ${b.y + 7}`;
  }
  if (from === "IN_QUEUE") return `M${a.x + half} ${a.y - 7}L${b.x - half - 2} ${b.y - 7}`;
  if (to === "IN_QUEUE") {
    return `M${a.x - half} ${a.y + 4}C${a.x - 170} ${a.y + 30} ${b.x + 150} 150 ${b.x + 20} ${b.y + 16}`;
  }
  return `M${a.x + half} ${a.y}C${a.x + half + 80} ${a.y} ${b.x - half - 80} ${b.y} ${b.x - half - 2} ${b.y}`;
}
