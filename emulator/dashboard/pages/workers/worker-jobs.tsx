/** The jobs that a worker has, and those that it had. */
import type { JSX } from "preact";
import { formatDuration } from "../../format.ts";
import type { IconName } from "../../components/icon.tsx";
import { JobLink } from "../../components/links.tsx";
import { Moment } from "../../components/moment.tsx";
import { Panel } from "../../components/panel.tsx";
import { Badge } from "../../components/status.tsx";
import type { OperatedWorker } from "../../service/generated/answers.ts";
import { useServiceNow } from "../../service/use-service-now.ts";

interface WorkerProps {
  readonly worker: OperatedWorker;
}

/** The service keeps no more of those that it had. */
const MOST_PAST = 200;

export function WorkerJobs({ worker }: WorkerProps): JSX.Element {
  const { jobs, past, endedAt } = worker;
  const known = past.length < MOST_PAST ? String(past.length) : `the newest ${MOST_PAST}`;
  return (
    <Panel title="Jobs">
      {endedAt === undefined && <h3>Now: {jobs.length === 0 ? "none" : jobs.length}</h3>}
      {jobs.length > 0 && <CurrentJobs jobs={jobs} />}
      <h3>Before: {past.length === 0 ? "none" : known}</h3>
      {past.length > 0 && <PastJobs past={past} />}
    </Panel>
  );
}

function CurrentJobs({ jobs }: Pick<OperatedWorker, "jobs">): JSX.Element {
  const now = useServiceNow();
  return (
    <ul class="job-lines">
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

type Outcome = OperatedWorker["past"][number]["outcome"];

const SHOWN: Readonly<Partial<Record<Outcome, readonly [IconName, "good" | "warn" | "quiet"]>>> = {
  completed: ["done", "good"],
  timed_out: ["late", "warn"],
  cancelled: ["cancelled", "quiet"],
  handed_back: ["retry", "quiet"],
  undelivered: ["retry", "quiet"],
  interrupted: ["retry", "quiet"],
  expired: ["late", "quiet"],
};

function PastJobs({ past }: Pick<OperatedWorker, "past">): JSX.Element {
  return (
    <div class="past-scroll" tabIndex={0} role="region" aria-label="Jobs before">
      <table class="records">
        <thead>
          <tr>
            <th>Job</th>
            <th>Outcome</th>
            <th>Ended</th>
            <th class="number">Took</th>
          </tr>
        </thead>
        <tbody>
          {past.toReversed().map((job) => (
            <PastRow key={`${job.jobId} ${job.startedAt}`} job={job} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function PastRow({ job }: { readonly job: OperatedWorker["past"][number] }): JSX.Element {
  const { jobId, startedAt, endedAt, outcome } = job;
  const [icon, tone] = SHOWN[outcome] ?? (["failed", "bad"] as const);
  return (
    <tr>
      <td>
        <JobLink id={jobId} />
      </td>
      <td>
        <Badge icon={icon} word={outcome.replaceAll("_", " ")} tone={tone} />
      </td>
      <td>
        <Moment at={endedAt} />
      </td>
      <td class="number">{formatDuration(Date.parse(endedAt) - Date.parse(startedAt))}</td>
    </tr>
  );
}
