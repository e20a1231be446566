/** The calls of the webhook of a job. */
import type { JSX } from "preact";
import { formatInstant } from "../../format.ts";
import { Panel } from "../../components/panel.tsx";
import { hrefTo } from "../../route/route.ts";
import type { Delivery } from "../../service/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";
import { receiverOf } from "../webhooks/delivery-labels.ts";
import { DeliveryState, TriesTable } from "../webhooks/delivery-state.tsx";

export function WebhookTries({ jobId }: { readonly jobId: string }): JSX.Element | null {
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
