/** The attempts at a job: who had each, how it ended, and what it spent its time on. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatDuration, formatInstant } from "../../format.ts";
import { WorkerLink } from "../../components/links.tsx";
import { Panel } from "../../components/panel.tsx";
import { Badge } from "../../components/status.tsx";
import { Empty } from "../../components/states.tsx";
import type { Attempt, JobDetails } from "../../service/generated/answers.ts";
import { FailureReport } from "./failure-report.tsx";
import { type Stage, stagesOf } from "./stages.ts";

export function Attempts({ job }: { readonly job: JobDetails }): JSX.Element {
  const { attempts = [], attemptsLeftOut = 0 } = job;
  const now = useNow(job.status === "IN_PROGRESS");
  return (
    <Panel
      title={attempts.length > 1 ? `Attempts (${attempts.length + attemptsLeftOut})` : "Attempt"}
    >
      {attempts.length === 0 && <Empty>No worker has had it yet.</Empty>}
      <ol class="attempts">
        {attempts.map((attempt) => (
          <AttemptLine
            key={attempt.number}
            attempt={attempt}
            now={now}
            isLast={attempt === attempts.at(-1)}
          />
        ))}
      </ol>
      {attemptsLeftOut > 0 && (
        <p class="quiet">{attemptsLeftOut} more between them are not kept.</p>
      )}
    </Panel>
  );
}

/** The time by the browser's clock, each second while something runs. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}

const OUTCOMES = {
  running: ["running", "busy"],
  completed: ["done", "good"],
  failed: ["failed", "bad"],
  crashed: ["failed", "bad"],
  out_of_memory: ["failed", "bad"],
  timed_out: ["late", "warn"],
  lost: ["warning", "warn"],
  handed_back: ["retry", "quiet"],
  undelivered: ["retry", "quiet"],
  interrupted: ["retry", "quiet"],
  cancelled: ["cancelled", "quiet"],
  damaged: ["failed", "bad"],
} as const;

interface AttemptLineProps {
  readonly attempt: Attempt;
  readonly now: number;
  readonly isLast: boolean;
}

function AttemptLine({ attempt, now, isLast }: AttemptLineProps): JSX.Element {
  const { number, outcome, workerId, version, startedAt, failure } = attempt;
  const [icon, tone] = OUTCOMES[outcome] ?? ["warning", "quiet"];
  return (
    <li class="attempt">
      <div class="row">
        <b class="number">{number}</b>
        <Badge icon={icon} word={outcome.replaceAll("_", " ")} tone={tone} />
        {workerId !== undefined && (
          <span class="quiet">
            worker <WorkerLink id={workerId} />
          </span>
        )}
        {version !== undefined && <span class="quiet">version {version}</span>}
        <time class="quiet number" dateTime={startedAt} title={startedAt}>
          {formatInstant(startedAt)}
        </time>
      </div>
      <Waterfall stages={stagesOf(attempt, now)} tone={tone} />
      {failure !== undefined && !isLast && <FailureReport failure={failure} isShort />}
    </li>
  );
}

interface WaterfallProps {
  readonly stages: readonly Stage[];
  /** Of the outcome. */
  readonly tone: string;
}

function Waterfall({ stages, tone }: WaterfallProps): JSX.Element {
  const from = stages[0]?.fromMs ?? 0;
  const whole = Math.max(1, (stages.at(-1)?.toMs ?? 1) - from);
  const percent = (ms: number) => `${(ms / whole) * 100}%`;
  return (
    <ul class="waterfall" aria-label="Stages">
      {stages.map(({ name, title, fromMs, toMs }) => (
        <li key={name} title={title}>
          <span class="quiet">{name}</span>
          <span class="track">
            <span
              class={`bar ${name} ${tone}`}
              style={{ marginLeft: percent(fromMs - from), width: percent(toMs - fromMs) }}
            />
          </span>
          <span class="number">{formatDuration(toMs - fromMs)}</span>
        </li>
      ))}
    </ul>
  );
}
