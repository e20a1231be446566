/** Deliveries, the newest first, page by page. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { formatFromNow, formatInstant } from "../../format.ts";
import { EndpointLink, JobLink } from "../../components/links.tsx";
import { Moment } from "../../components/moment.tsx";
import { Empty, Loading, Problem } from "../../components/states.tsx";
import { Status } from "../../components/status.tsx";
import { hrefTo } from "../../route/route.ts";
import type { Deliveries, Delivery } from "../../service/generated/answers.ts";
import { type Reading, useRead } from "../../service/use-read.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { DeliveryState } from "./delivery-state.tsx";
import { listPath, receiverOf, triesLabel } from "./delivery-labels.ts";
import { HowTo } from "./how-to.tsx";

const COLUMNS = 8;

interface DeliveryListProps {
  readonly query: Readonly<Record<string, string>>;
  /** The one that is shown beside the list. */
  readonly openId: string | undefined;
}

export function DeliveryList(props: DeliveryListProps): JSX.Element {
  const { value, problem, again } = useDeliveries(props, "");
  if (problem !== undefined) return <Problem text={problem} onRetry={again} />;
  if (value === undefined) return <Loading what="deliveries" />;
  if (value.deliveries.length === 0) return <None query={props.query} />;
  return (
    <section class="inbox-list table-scroll" aria-label="Deliveries">
      <table class="records deliveries">
        <thead>
          <tr>
            <th>Made</th>
            <th>State</th>
            <th class="beside">Answer</th>
            <th class="roomy">Next try</th>
            <th>Job</th>
            <th class="roomy">Ended as</th>
            <th class="roomy">Endpoint</th>
            <th class="beside">Receiver</th>
          </tr>
        </thead>
        <Rows {...props} page={value} />
      </table>
    </section>
  );
}

function useDeliveries({ query }: DeliveryListProps, after: string): Reading<Deliveries> {
  const { state = "", endpoint = "", job = "" } = query;
  const path = listPath({ state, endpointId: endpoint, jobId: job }, after);
  return useRead<"listDeliveries">(path, { concerns: ({ type }) => type === "webhook" });
}

function None({ query }: Pick<DeliveryListProps, "query">): JSX.Element {
  const isNarrowed = Object.values(query).some((value) => value !== "");
  return isNarrowed ? <Empty>No delivery fits.</Empty> : <HowTo />;
}

interface RowsProps extends DeliveryListProps {
  readonly page: Deliveries;
}

/** One page of them, and behind it the next one. */
function Rows({ page: { deliveries, next }, ...props }: RowsProps): JSX.Element {
  const now = useServiceNow();
  const { query, openId } = props;
  return (
    <>
      <tbody>
        {deliveries.map((delivery) => (
          <Row key={delivery.id} {...{ delivery, query, now, isOpen: delivery.id === openId }} />
        ))}
      </tbody>
      {next !== undefined && <Older {...props} after={next} />}
    </>
  );
}

/** They are asked for when they are wanted. */
function Older(props: DeliveryListProps & { readonly after: string }): JSX.Element {
  const [isWanted, setWanted] = useState(false);
  if (isWanted) return <OlderRows {...props} />;
  return (
    <tbody>
      <tr>
        <td colSpan={COLUMNS}>
          <Button onPress={() => setWanted(true)}>Show older ones</Button>
        </td>
      </tr>
    </tbody>
  );
}

function OlderRows({
  after,
  ...props
}: DeliveryListProps & { readonly after: string }): JSX.Element {
  const { value, problem, again } = useDeliveries(props, after);
  if (value !== undefined) return <Rows {...props} page={value} />;
  return (
    <tbody>
      <tr>
        <td colSpan={COLUMNS}>
          {problem === undefined ? (
            <Loading what="older ones" />
          ) : (
            <Problem text={problem} onRetry={again} />
          )}
        </td>
      </tr>
    </tbody>
  );
}

interface RowProps {
  readonly delivery: Delivery;
  readonly query: Readonly<Record<string, string>>;
  readonly now: number | undefined;
  readonly isOpen: boolean;
}

function Row({ delivery, query, now, isOpen }: RowProps): JSX.Element {
  const { id, jobId, endpointId, jobStatus, url, state, createdAt, tries, nextTryAt } = delivery;
  return (
    <tr {...(isOpen && { "aria-current": "true" })}>
      <td>
        <a class="row-link number" href={hrefTo("webhooks", [id], query)} title={createdAt}>
          {formatInstant(createdAt)}
        </a>
      </td>
      <td>
        <DeliveryState of={state} />
      </td>
      <td class="beside">{triesLabel(tries)}</td>
      <td class="roomy moment">
        {nextTryAt === undefined || now === undefined ? (
          <Moment at={nextTryAt} />
        ) : (
          formatFromNow(nextTryAt, now)
        )}
      </td>
      <td class="of-job">
        <JobLink id={jobId} />
      </td>
      <td class="roomy">
        <Status of={jobStatus} />
      </td>
      <td class="roomy">
        <EndpointLink id={endpointId} />
      </td>
      <td class="beside mono receiver" title={url}>
        {receiverOf(url)}
      </td>
    </tr>
  );
}
