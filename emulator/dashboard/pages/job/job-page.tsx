/** One job: where it stands, what happened to it, what went in and what came out. */
import type { JSX } from "preact";
import { CopyButton } from "../../components/button.tsx";
import { durationInWords, instantInWords } from "../../components/in-words.ts";
import { Facts, Panel } from "../../components/panel.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { Status } from "../../components/status.tsx";
import { hrefTo, type PageProps } from "../../route/route.ts";
import type { JobDetails } from "../../service/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { Attempts } from "./attempts.tsx";
import { Chunks } from "./chunks.tsx";
import { FailureReport } from "./failure-report.tsx";
import { JobActions } from "./job-actions.tsx";
import { JobDiagram } from "./job-diagram.tsx";
import { LogLines } from "./log-lines.tsx";
import { PayloadPanel, type Payloads, usePayloads } from "./payloads.tsx";
import { WebhookTries } from "./webhook-tries.tsx";

/** What happens to a job is asked for at most so often, ms. */
const PACE_MS = 200;

export function JobPage({ route }: PageProps): JSX.Element {
  const [id] = route.parts;
  const path = id === undefined ? undefined : `emulator/jobs/${encodeURIComponent(id)}?brief=true`;
  const { value, problem, again } = useRead<"readJob">(path, {
    paceMs: PACE_MS,
    concerns: (event) => event.jobId === id,
  });
  if (id === undefined) return <Empty>The address names no job.</Empty>;
  if (value === undefined && problem !== undefined)
    return <Problem text={problem} onRetry={again} />;
  if (value === undefined) return <Loading what="the job" />;
  return (
    <>
      {problem !== undefined && <Problem text={problem} onRetry={again} />}
      <JobView key={id} job={value} />
    </>
  );
}

function JobView({ job }: { readonly job: JobDetails }): JSX.Element {
  const { id, endpointId, status, failure, chunks } = job;
  const payloads = usePayloads(id);
  const isOpen = status === "IN_QUEUE" || status === "IN_PROGRESS";
  return (
    <div class="page job-page">
      <JobHead job={job} payloads={payloads} />
      <div class="columns">
        <div class="column">
          {failure !== undefined && (
            <Panel title="Failure">
              <FailureReport failure={failure} />
            </Panel>
          )}
          <Chunks jobId={id} isAlwaysShown={chunks > 0} />
          <PayloadPanel
            title="Output"
            node={payloads.output}
            payloads={payloads}
            none={isOpen ? "None yet." : "It has none."}
          />
          <PayloadPanel
            title="Input"
            node={payloads.input}
            payloads={payloads}
            none="It is kept no longer."
          />
          <LogLines jobId={id} endpointId={endpointId} isOpen={isOpen} />
        </div>
        <div class="column">
          <Panel title="State">
            <JobDiagram status={status} />
            <JobFacts job={job} />
          </Panel>
          <Attempts job={job} />
          <WebhookTries jobId={id} />
        </div>
      </div>
    </div>
  );
}

interface JobHeadProps {
  readonly job: JobDetails;
  readonly payloads: Payloads;
}

function JobHead({ job, payloads }: JobHeadProps): JSX.Element {
  const { id, endpointId, status } = job;
  return (
    <div class="page-head">
      <h1 class="row">
        <a href={hrefTo("jobs", [], { q: `endpoint:${endpointId}` })}>{endpointId}</a>
        <Status of={status} />
      </h1>
      <span class="spring" />
      <JobActions job={job} payloads={payloads} />
      <p class="job-id mono quiet">
        {id} <CopyButton text={() => id} what="the id" />
      </p>
    </div>
  );
}

function JobFacts({ job }: { readonly job: JobDetails }): JSX.Element {
  const { kind, submittedAt, delayTime, executionTime, expiresAt, version, retries, ...more } = job;
  return (
    <Facts
      facts={[
        ["Submitted", <time dateTime={submittedAt}>{instantInWords(submittedAt)}</time>],
        ["Waited", delayTime === undefined ? undefined : durationInWords(delayTime)],
        ["Took", executionTime === undefined ? undefined : durationInWords(executionTime)],
        ["Submitted by", kind === "sync" ? "/runsync" : "/run"],
        ["Endpoint version", version],
        ["Retries", retries],
        ["May take", durationInWords(more.executionTimeout)],
        ["Deleted at", instantInWords(expiresAt)],
        ["Webhook", more.webhook],
        ["Trace", more.traceparent],
      ]}
    />
  );
}
