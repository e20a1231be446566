/** Deliveries, the newest first, page by page. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { Button, CopyButton } from "../../components/button.tsx";
import { EndpointLink, JobLink, Moment } from "../../components/links.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, RecordRows, Records } from "../../components/records.tsx";
import { Answer, Empty } from "../../components/states.tsx";
import { Status } from "../../components/status.tsx";
import { formatFromNow, formatInstant } from "../../format/format.ts";
import { hrefTo } from "../../route/route.ts";
import { base } from "../../service/call.ts";
import type { Deliveries, Delivery } from "../../../../runtime/protocol/generated/answers.ts";
import { type Reading, useRead } from "../../service/use-read.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { listPath, receiverOf, triesLabel } from "./delivery-labels.ts";
import { DeliveryState } from "./delivery-state.tsx";

interface DeliveryListProps {
  readonly query: Readonly<Record<string, string>>;
  /** The delivery that is shown beside the list. */
  readonly openId: string | undefined;
}

export function DeliveryList(props: DeliveryListProps): JSX.Element {
  const rows = useRows(props);
  const { query } = props;
  return (
    <Answer of={useDeliveries(query, "")} what="deliveries">
      {({ deliveries, next }) =>
        deliveries.length === 0 ? (
          <None isNarrowed={Object.values(query).some((value) => value !== "")} />
        ) : (
          <section class="inbox-list boxed" aria-label="Deliveries">
            <Records class="deliveries" {...rows} rows={deliveries}>
              {next !== undefined && <Older {...props} after={next} />}
            </Records>
          </section>
        )
      }
    </Answer>
  );
}

function useDeliveries(
  { state = "", endpoint = "", job = "" }: DeliveryListProps["query"],
  after: string,
): Reading<Deliveries> {
  const path = listPath({ state, endpointId: endpoint, jobId: job }, after);
  return useRead<"listDeliveries">(path, { concerns: ({ type }) => type === "webhook" });
}

function None({ isNarrowed }: { readonly isNarrowed: boolean }): JSX.Element {
  return isNarrowed ? <Empty>No delivery fits.</Empty> : <HowTo />;
}

/** How to make the first delivery. */
function HowTo(): JSX.Element {
  const { value: endpoints = [] } = useRead<"listEndpoints">("v1/endpoints");
  const id = endpoints[0]?.id ?? "ENDPOINT";
  const text = [
    `curl -s ${base()}v2/${id}/run -H "Authorization: Bearer $SV_API_KEY" \\`,
    `  -d '{"input":{},"webhook":"http://127.0.0.1:3000/done"}'`,
  ].join("\n");
  return (
    <Panel title="No webhook yet" actions={<CopyButton text={() => text} what="the command" />}>
      <p>
        When a job ends, the service calls the URL that the job was submitted with as{" "}
        <code>webhook</code>.
      </p>
      <pre class="sunken">{text}</pre>
    </Panel>
  );
}

interface OlderProps extends DeliveryListProps {
  readonly after: string;
}

/** The next page, once it is asked for. */
function Older(props: OlderProps): JSX.Element {
  const [isWanted, setWanted] = useState(false);
  if (isWanted) return <OlderRows {...props} />;
  return (
    <OneCell>
      <Button onPress={() => setWanted(true)}>Show older ones</Button>
    </OneCell>
  );
}

function OlderRows({ after, ...props }: OlderProps): JSX.Element {
  const rows = useRows(props);
  const read = useDeliveries(props.query, after);
  if (read.value === undefined) {
    return (
      <OneCell>
        <Answer of={read} what="older ones">
          {() => null}
        </Answer>
      </OneCell>
    );
  }
  const { deliveries, next } = read.value;
  return (
    <>
      <RecordRows {...rows} rows={deliveries} />
      {next !== undefined && <Older {...props} after={next} />}
    </>
  );
}

function OneCell({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <tbody>
      <tr>
        <td colSpan={8}>{children}</td>
      </tr>
    </tbody>
  );
}

/** What all pages of the list have in common. */
function useRows({ query, openId }: DeliveryListProps) {
  return {
    columns: columnsOf(query, useServiceNow()),
    keyOf: ({ id }: Delivery) => id,
    isCurrent: ({ id }: Delivery) => id === openId,
  };
}

function columnsOf(
  query: DeliveryListProps["query"],
  now: number | undefined,
): readonly Column<Delivery>[] {
  return [
    {
      head: "Made",
      cell: ({ id, createdAt }) => (
        <a class="row-link number" href={hrefTo("webhooks", [id], query)} title={createdAt}>
          {formatInstant(createdAt)}
        </a>
      ),
    },
    { head: "State", cell: ({ state }) => <DeliveryState of={state} /> },
    { head: "Answer", kind: "beside", cell: ({ tries }) => triesLabel(tries) },
    {
      head: "Next try",
      kind: "roomy moment",
      cell: ({ nextTryAt }) =>
        nextTryAt === undefined || now === undefined ? (
          <Moment at={nextTryAt} />
        ) : (
          formatFromNow(nextTryAt, now)
        ),
    },
    { head: "Job", kind: "of-job", cell: ({ jobId }) => <JobLink id={jobId} /> },
    { head: "Ended as", kind: "roomy", cell: ({ jobStatus }) => <Status of={jobStatus} /> },
    { head: "Endpoint", kind: "roomy", cell: ({ endpointId }) => <EndpointLink id={endpointId} /> },
    {
      head: "Receiver",
      kind: "beside mono receiver cut",
      cell: ({ url }) => <span title={url}>{receiverOf(url)}</span>,
    },
  ];
}
