/** The result of a job of the playground: its state, its stream, its output or failure. */
import type { JSX } from "preact";
import { Button } from "../../components/button.tsx";
import { formatDuration, shortId } from "../../format/format.ts";
import { Panel } from "../../components/panel.tsx";
import { Answer } from "../../components/states.tsx";
import { Status } from "../../components/status.tsx";
import { hrefTo } from "../../route/route.ts";
import type { JobDetails } from "../../../../runtime/protocol/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { useReadOnly } from "../../state/store.ts";
import { Chunks } from "../job/chunks.tsx";
import { FailureReport } from "../job/failure-report.tsx";
import { PayloadPanel, usePayloads } from "../job/payloads.tsx";
import { changeJob } from "../job/run-job.ts";

/** Minimum interval between reads of the job, ms. */
const PACE_MS = 200;

export function RunResult({ jobId }: { readonly jobId: string }): JSX.Element {
  const read = useRead<"readJob">(`emulator/jobs/${encodeURIComponent(jobId)}?brief=true`, {
    paceMs: PACE_MS,
    concerns: (event) => event.jobId === jobId,
  });
  const payloads = usePayloads(jobId);
  return (
    <Answer of={read} what="the job">
      {(job) => (
        <>
          <JobPanel job={job} />
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
      )}
    </Answer>
  );
}

function JobPanel({ job }: { readonly job: JobDetails }): JSX.Element {
  const { id, status, executionTime, delayTime, failure } = job;
  const isReadOnly = useReadOnly();
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
