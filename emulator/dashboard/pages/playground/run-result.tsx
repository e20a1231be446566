/** What comes of a job that was run here: its state, its stream, its output or failure. */
import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { formatDuration, shortId } from "../../format.ts";
import { Panel } from "../../components/panel.tsx";
import { Loading, Problem } from "../../components/states.tsx";
import { Status } from "../../components/status.tsx";
import { hrefTo } from "../../route/route.ts";
import type { JobDetails } from "../../service/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { usePart } from "../../state/store.ts";
import { Chunks } from "../job/chunks.tsx";
import { FailureReport } from "../job/failure-report.tsx";
import { PayloadPanel, usePayloads } from "../job/payloads.tsx";
import { changeJob } from "../job/run-job.ts";

const PACE_MS = 200;

export function RunResult({ jobId }: { readonly jobId: string }): JSX.Element {
  const isReadOnly = usePart(({ session }) => session === "read-only");
  const {
    value: job,
    problem,
    again,
  } = useRead<"readJob">(`emulator/jobs/${encodeURIComponent(jobId)}?brief=true`, {
    paceMs: PACE_MS,
    concerns: (event) => event.jobId === jobId,
  });
  const payloads = usePayloads(jobId);
  if (job === undefined) {
    return problem === undefined ? (
      <Loading what="the job" />
    ) : (
      <Problem text={problem} onRetry={again} />
    );
  }
  return (
    <>
      <JobPanel job={job} isReadOnly={isReadOnly} />
      <Chunks jobId={jobId} />
      {job.status === "COMPLETED" && (
        <PayloadPanel
          title="Output"
          node={payloads.output}
          payloads={payloads}
          none="It has none."
        />
      )}
    </>
  );
}

interface JobPanelProps {
  readonly job: JobDetails;
  readonly isReadOnly: boolean;
}

function JobPanel({ job, isReadOnly }: JobPanelProps): JSX.Element {
  const { id, status, executionTime, delayTime, failure } = job;
  const isOpen = status === "IN_QUEUE" || status === "IN_PROGRESS";
  return (
    <Panel
      title="Job"
      actions={
        <>
          {isOpen && !isReadOnly && (
            <Button kind="danger" icon="close" onPress={() => void changeJob("cancel", job)}>
              Cancel
            </Button>
          )}
          <a class="button" href={hrefTo("job", [id])}>
            Open {shortId(id)}
          </a>
        </>
      }
    >
      <p class="row" role="status">
        <Status of={status} />
        {delayTime !== undefined && <span class="quiet">waited {formatDuration(delayTime)}</span>}
        {executionTime !== undefined && (
          <span class="quiet">took {formatDuration(executionTime)}</span>
        )}
      </p>
      {failure !== undefined && <FailureReport failure={failure} />}
    </Panel>
  );
}
