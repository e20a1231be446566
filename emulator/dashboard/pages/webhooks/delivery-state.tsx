/** How a delivery stands: a drawing and a word. */
import type { JSX } from "preact";
import { Badge } from "../../components/status.tsx";
import type { Delivery } from "../../service/generated/answers.ts";

export function DeliveryState({ of }: { readonly of: Delivery["state"] }): JSX.Element {
  if (of === "delivered") return <Badge icon="done" word="delivered" tone="good" />;
  if (of === "failed") return <Badge icon="failed" word="failed" tone="bad" />;
  return <Badge icon="queued" word="pending" tone="busy" />;
}
