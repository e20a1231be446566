/** The state of a delivery, and the answers to its tries. */
import type { JSX } from "preact";
import { Moment } from "../../components/links.tsx";
import { type Column, Records } from "../../components/records.tsx";
import { Badge } from "../../components/status.tsx";
import { formatDuration } from "../../format/format.ts";
import type { Delivery, DeliveryTry } from "../../../../runtime/protocol/generated/answers.ts";
import { outcomeOf } from "./delivery-labels.ts";

export function DeliveryState({ of }: { readonly of: Delivery["state"] }): JSX.Element {
  if (of === "delivered") return <Badge icon="done" word="delivered" tone="good" />;
  if (of === "failed") return <Badge icon="failed" word="failed" tone="bad" />;
  return <Badge icon="queued" word="pending" tone="busy" />;
}

const COLUMNS: readonly Column<DeliveryTry>[] = [
  { head: "At", cell: ({ at }) => <Moment at={at} /> },
  { head: "Took", kind: "number", cell: ({ durationMs }) => formatDuration(durationMs) },
  {
    head: "Answer",
    kind: "answer",
    cell: (made) => (
      <>
        {outcomeOf(made)}
        {made.warning !== undefined && <span class="quiet"> {made.warning}</span>}
      </>
    ),
  },
];

export function TriesTable({ tries }: { readonly tries: readonly DeliveryTry[] }): JSX.Element {
  if (tries.length === 0) return <p class="quiet">None yet.</p>;
  return <Records class="tries" columns={COLUMNS} rows={tries} keyOf={({ at }) => at} />;
}
