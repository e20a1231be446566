/** Failed jobs that were deleted: their reports are kept for a day, and shown where no job matches. */
import type { JSX } from "preact";
import { JobLink, Moment } from "../../components/links.tsx";
import { Panel } from "../../components/panel.tsx";
import { useRead } from "../../service/use-read.ts";
import type { JobFilter } from "../../state/job-list.ts";

/** Maximum shown: the newest. */
const MOST = "20";

export function DeletedJobs({ filter }: { readonly filter: JobFilter }): JSX.Element | null {
  const { endpointId, search, status = ["FAILED"] } = filter;
  const isAsked = status.includes("FAILED") || status.includes("TIMED_OUT");
  const query = new URLSearchParams({
    limit: MOST,
    ...(endpointId !== undefined && { endpointId }),
    ...(search !== undefined && { search }),
  });
  const { value } = useRead<"listDeletedJobs">(
    isAsked ? `emulator/jobs/deleted?${query}` : undefined,
    { concerns: (event) => event.type === "job" && event.to === null },
  );
  if (value === undefined || value.jobs.length === 0) return null;
  return (
    <Panel title="Failed, and deleted since: their reports are kept for 24 h">
      <ul class="deleted-jobs stack">
        {value.jobs.map(({ id, endpointId: endpoint, error, deletedAt }) => (
          <li key={id} class="row">
            <JobLink id={id} />
            <span>{endpoint}</span>
            <span class="cut quiet" title={error}>
              {error}
            </span>
            <span class="quiet">
              deleted <Moment at={deletedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
