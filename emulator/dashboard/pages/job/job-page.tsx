/** One job: its state, its attempts, its input and output. */
import type { JSX } from "preact";
import { CopyButton } from "../../components/button.tsx";
import { Facts, Panel } from "../../components/panel.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { Status } from "../../components/status.tsx";
import { formatDuration, formatInstant } from "../../format/format.ts";
import { hrefTo, type PageProps } from "../../route/route.ts";
import type { Delivery, JobDetails } from "../../../../runtime/protocol/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { receiverOf } from "../webhooks/delivery-labels.ts";
import { DeliveryState, TriesTable } from "../webhooks/delivery-state.tsx";
import { Attempts } from "./attempts.tsx";
import { Chunks } from "./chunks.tsx";
import { FailureReport } from "./failure-report.tsx";
import { JobActions } from "./job-actions.tsx";
import { JobDiagram } from "./job-diagram.tsx";
import { JobLog } from "./job-log.tsx";
import { PayloadPanel, type Payloads, usePayloads } from "./payloads.tsx";

/** Minimum interval between reads of the job, ms. */
const PACE_MS = 200;

export function JobPage({ route }: PageProps): JSX.Element {
  const [id] = route.parts;
  const path = id === undefined ? undefined : `emulator/jobs/${encodeURIComponent(id)}?brief=true`;
  const job = useRead<"readJob">(path, {
    paceMs: PACE_MS,
    concerns: (event) => event.jobId === id,
  });
  if (id === undefined) return <Empty>The address names no job.</Empty>;
  return (
    <Answer of={job} what="the job">
      {(value) => <JobView key={id} job={value} />}
    </Answer>
  );
}

function JobView({ job }: { readonly job: JobDetails }): JSX.Element {
  const { id, endpointId, status, failure, chunks, deletedAt } = job;
  const payloads = usePayloads(id);
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
          {deletedAt === undefined ? (
            <>
              <Chunks jobId={id} isAlwaysShown={chunks > 0} />
              <OutputAndInput job={job} payloads={payloads} />
            </>
          ) : (
            <Panel title="Deleted">
              <p>Its input and output are gone. This report is kept for 24 h after the deletion.</p>
            </Panel>
          )}
          <JobLog jobId={id} endpointId={endpointId} isOpen={isOpen(status)} />
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

function isOpen(status: JobDetails["status"]): boolean {
  return status === "IN_QUEUE" || status === "IN_PROGRESS";
}

/** A job that failed without an output has no panel for it. */
function OutputAndInput({ job: { status, failure }, payloads }: JobHeadProps): JSX.Element {
  const { input, output, isRead } = payloads;
  return (
    <>
      {(failure === undefined || !isRead || output !== undefined) && (
        <PayloadPanel
          title="Output"
          node={output}
          payloads={payloads}
          none={isOpen(status) ? "None yet." : "It has none."}
        />
      )}
      <PayloadPanel
        title="Input"
        node={input}
        payloads={payloads}
        none="It is not kept any longer."
      />
    </>
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
  const { kind, submittedAt, delayTime, executionTime, version, retries, ...more } = job;
  const { deletedAt, expiresAt } = more;
  return (
    <Facts
      facts={[
        ["Submitted", <time dateTime={submittedAt}>{formatInstant(submittedAt)}</time>],
        ["Waited", delayTime === undefined ? undefined : formatDuration(delayTime)],
        ["Took", executionTime === undefined ? undefined : formatDuration(executionTime)],
        ["Submitted by", kind === "sync" ? "/runsync" : "/run"],
        ["Endpoint version", version],
        ["Retries", retries],
        ["Time limit", formatDuration(more.executionTimeout)],
        deletedAt === undefined
          ? ["Kept until", formatInstant(expiresAt)]
          : ["Deleted", formatInstant(deletedAt)],
        ["Webhook", more.webhook && <code class="long">{more.webhook}</code>],
        ["Trace", more.traceparent && <code class="long">{more.traceparent}</code>],
      ]}
    />
  );
}

function WebhookTries({ jobId }: { readonly jobId: string }): JSX.Element | null {
  const { value } = useRead<"listDeliveries">(
    `emulator/webhooks?jobId=${encodeURIComponent(jobId)}`,
    { concerns: (event) => event.type === "webhook" && event.jobId === jobId },
  );
  const deliveries = value?.deliveries ?? [];
  if (deliveries.length === 0) return null;
  return (
    <Panel title="Webhook">
      {deliveries.map((delivery) => (
        <DeliveryTries key={delivery.id} delivery={delivery} />
      ))}
    </Panel>
  );
}

function DeliveryTries({ delivery }: { readonly delivery: Delivery }): JSX.Element {
  const { id, url, state, tries, nextTryAt } = delivery;
  return (
    <div>
      <p class="row">
        <DeliveryState of={state} />
        <a class="mono" href={hrefTo("webhooks", [id])}>
          {receiverOf(url)}
        </a>
        {nextTryAt !== undefined && <span class="quiet">next at {formatInstant(nextTryAt)}</span>}
      </p>
      <TriesTable tries={tries} />
    </div>
  );
}
