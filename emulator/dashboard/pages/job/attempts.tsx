/** The attempts at a job: the worker of each, its outcome, and its stages. */
import type { JSX } from "preact";
import { formatInstant } from "../../format/format.ts";
import { WorkerLink } from "../../components/links.tsx";
import { Panel } from "../../components/panel.tsx";
import { StageBars } from "../../components/stage-bars.tsx";
import { Badge, outcomeBadge } from "../../components/status.tsx";
import { Empty } from "../../components/states.tsx";
import type { Attempt, JobDetails } from "../../../../runtime/protocol/generated/answers.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { FailureReport } from "./failure-report.tsx";
import { stagesOf } from "./stages.ts";

export function Attempts({ job }: { readonly job: JobDetails }): JSX.Element {
  const { attempts = [], attemptsLeftOut = 0 } = job;
  const now = useServiceNow() ?? 0;
  return (
    <Panel
      title={attempts.length > 1 ? `Attempts (${attempts.length + attemptsLeftOut})` : "Attempt"}
    >
      {attempts.length === 0 && <Empty>No worker has received it yet.</Empty>}
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

interface AttemptLineProps {
  readonly attempt: Attempt;
  readonly now: number;
  readonly isLast: boolean;
}

function AttemptLine({ attempt, now, isLast }: AttemptLineProps): JSX.Element {
  const { number, outcome, workerId, version, startedAt, failure } = attempt;
  const badge = outcomeBadge(outcome);
  return (
    <li class="attempt">
      <div class="row">
        <b class="number">{number}</b>
        <Badge {...badge} />
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
      <StageBars stages={stagesOf(attempt, now)} tone={badge.tone} />
      {failure !== undefined && !isLast && <FailureReport failure={failure} isShort />}
    </li>
  );
}
