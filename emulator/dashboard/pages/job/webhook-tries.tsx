/** The calls by which the end of a job was told to its webhook. */
import type { JSX } from "preact";
import { durationInWords, instantInWords } from "../../components/in-words.ts";
import { Panel } from "../../components/panel.tsx";
import { Badge } from "../../components/status.tsx";
import type { Delivery } from "../../service/generated/answers.ts";
import { useRead } from "../../service/use-read.ts";

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

const STATES = {
  pending: ["queued", "calm"],
  delivered: ["done", "good"],
  failed: ["failed", "bad"],
} as const;

function DeliveryTries({ delivery }: { readonly delivery: Delivery }): JSX.Element {
  const { url, state, tries, nextTryAt } = delivery;
  const [icon, tone] = STATES[state];
  return (
    <div>
      <p class="row">
        <Badge icon={icon} word={state} tone={tone} />
        <span class="mono">{url}</span>
        {nextTryAt !== undefined && <span class="quiet">next at {instantInWords(nextTryAt)}</span>}
      </p>
      <table>
        <thead>
          <tr>
            <th>Try</th>
            <th>At</th>
            <th class="number">Took</th>
            <th>Answer</th>
          </tr>
        </thead>
        <tbody>
          {tries.map(({ at, durationMs, status, error, warning }, index) => (
            <tr key={at}>
              <td>{index + 1}</td>
              <td class="number">{instantInWords(at)}</td>
              <td class="number">{durationInWords(durationMs)}</td>
              <td>{[status, error, warning].filter((part) => part !== undefined).join(" · ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
