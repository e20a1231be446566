/** The current jobs of a worker, and its former ones. */
import type { JSX } from "preact";
import { JobLink, Moment } from "../../components/links.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Records } from "../../components/records.tsx";
import { Badge, outcomeBadge } from "../../components/status.tsx";
import { formatDuration } from "../../format/format.ts";
import type { OperatedWorker } from "../../../../runtime/protocol/generated/answers.ts";
import { useServiceNow } from "../../service/use-service-now.ts";

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

export function WorkerJobs({ worker }: { readonly worker: OperatedWorker }): JSX.Element {
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
