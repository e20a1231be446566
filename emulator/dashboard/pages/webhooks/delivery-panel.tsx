/** One delivery: the request as it was sent, the answer of each try, and a button that sends it again. */
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Button, CopyButton } from "../../components/button.tsx";
import { formatFromNow, shortId } from "../../format/format.ts";
import { JsonTree } from "../../components/json-tree.tsx";
import { EndpointLink, JobLink, Moment } from "../../components/links.tsx";
import { Facts, Panel } from "../../components/panel.tsx";
import { Answer } from "../../components/states.tsx";
import { Status } from "../../components/status.tsx";
import { linkIn } from "../../json/pictures.ts";
import { memberOf, type RawNode, readRawJson, writeRawJson } from "../../json/raw-json.ts";
import { hrefTo } from "../../route/route.ts";
import { call } from "../../service/call.ts";
import type { DeliveryWithRequest } from "../../../../runtime/protocol/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { useServiceNow } from "../../service/use-service-now.ts";
import { attempt, useReadOnly } from "../../state/store.ts";
import { DeliveryState, TriesTable } from "./delivery-state.tsx";

interface DeliveryPanelProps {
  readonly id: string;
  /** The filter of the list beside it. */
  readonly query: Readonly<Record<string, string>>;
}

export function DeliveryPanel({ id, query }: DeliveryPanelProps): JSX.Element {
  const answer = useRead<"readDelivery">(pathOf(id), {
    asText: true,
    concerns: (event) => event.type === "webhook" && event.deliveryId === id,
  });
  const text = answer.value as string | undefined;
  const read = useMemo(() => (text === undefined ? undefined : readDelivery(text)), [text]);
  return (
    <div class="column">
      <div class="row">
        <h2 class="mono" title={id}>
          {shortId(id)}
        </h2>
        <CopyButton text={() => id} what="the id" />
        <span class="spring" />
        {read && <Redeliver delivery={read.delivery} />}
        <a class="button bare" href={hrefTo("webhooks", [], query)}>
          Close
        </a>
      </div>
      <Answer of={{ ...answer, value: read }} what="the delivery">
        {({ delivery, body }) => (
          <>
            <DeliveryFacts delivery={delivery} />
            <Panel title="Tries">
              <TriesTable tries={delivery.tries} />
            </Panel>
            <Request delivery={delivery} body={body} />
          </>
        )}
      </Answer>
    </div>
  );
}

function pathOf(id: string): string {
  return `emulator/webhooks/${encodeURIComponent(id)}`;
}

/** The body keeps its numbers as they were sent. */
function readDelivery(text: string): { delivery: DeliveryWithRequest; body: RawNode | undefined } {
  const body = memberOf(memberOf(readRawJson(text), "request"), "body");
  return { delivery: JSON.parse(text) as DeliveryWithRequest, body };
}

interface DeliveryProps {
  readonly delivery: DeliveryWithRequest;
}

function Redeliver({ delivery: { id, state } }: DeliveryProps): JSX.Element | null {
  if (useReadOnly()) return null;
  const send = async () => {
    await call<"redeliver">(`${pathOf(id)}/redeliver`, { method: "POST" });
    return "sent again";
  };
  const isPending = state === "pending";
  return (
    <Button
      kind="main"
      icon="retry"
      isDisabled={isPending}
      title={isPending ? "It is being sent already" : "Up to three tries, same id and body"}
      onPress={() => void attempt(send)}
    >
      Redeliver
    </Button>
  );
}

function DeliveryFacts({ delivery }: DeliveryProps): JSX.Element {
  const now = useServiceNow();
  const { jobId, endpointId, jobStatus, url, state, createdAt, nextTryAt } = delivery;
  const link = linkIn(url);
  return (
    <Panel title="Delivery">
      <Facts
        facts={[
          ["State", <DeliveryState of={state} />],
          ["Next try", nextTryAt && now && formatFromNow(nextTryAt, now)],
          ["Made", <Moment at={createdAt} />],
          ["Job", <JobLink id={jobId} />],
          ["Ended as", <Status of={jobStatus} />],
          ["Endpoint", <EndpointLink id={endpointId} />],
        ]}
      />
      <p class="receiver-url mono">
        {link === undefined ? (
          url
        ) : (
          <a href={link.href} target="_blank" rel="noreferrer noopener">
            {url}
          </a>
        )}
      </p>
    </Panel>
  );
}

interface RequestProps extends DeliveryProps {
  readonly body: RawNode | undefined;
}

function Request({ delivery: { request }, body }: RequestProps): JSX.Element {
  const headers = Object.entries(request.headers ?? {});
  const copy = body && <CopyButton text={() => writeRawJson(body)} what="the body" />;
  return (
    <Panel title="Request as sent" actions={copy}>
      {headers.length > 0 && (
        <dl class="headers mono">
          {headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {headers.length === 0 && (
        <p class="quiet">Its headers are those of the last try: none yet.</p>
      )}
      {body && <JsonTree node={body} />}
    </Panel>
  );
}
