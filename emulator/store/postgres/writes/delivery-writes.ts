/** The statements that store webhook deliveries. */
import type { JobFrame } from "../../../core/jobs/job-body.ts";
import type { Delivery, KeptDeliveries } from "../../../core/webhooks/delivery.ts";
import { type Columns, namesOf } from "../../rows/columns.ts";
import { CHANGEABLE, changeable, DELIVERY, FRAME, valuesOf } from "../../rows/delivery-columns.ts";
import { partitionOf } from "../claim/partitions.ts";
import type { Statement } from "../connect/session.ts";
import { bound, type Sent, unnested } from "../values/columns.ts";
import { DELIVERY_NOT_STORED } from "./refusals.ts";
import { insertInto, rowStatement } from "./row-statement.ts";

const STORED = { ...DELIVERY, ...FRAME, partition: "integer" } as const satisfies Columns;
const CHANGED = { seq: "integer", ...CHANGEABLE } as const satisfies Columns;

const INSERT = insertInto("delivery", STORED);
const ASSIGNED = Object.keys(CHANGEABLE).map((name) => `${name} = u.${name}`);
const UPDATE = `WITH done AS (
    UPDATE delivery SET ${ASSIGNED.join(", ")} FROM ${unnested(CHANGED)} AS u (${namesOf(CHANGED)})
      WHERE delivery.seq = u.seq RETURNING 1)
  SELECT refuse('${DELIVERY_NOT_STORED}') FROM done HAVING count(*) <> $${Object.keys(CHANGED).length + 1}`;
/** Skips deliveries that another replica is changing, instead of waiting for it. */
const PRUNE = `WITH old AS (
    SELECT seq FROM delivery WHERE settled_at < $1
    UNION SELECT seq FROM (
      SELECT seq, row_number() OVER newest AS place, sum(size_bytes) OVER newest AS together
        FROM delivery WHERE settled_at IS NOT NULL
        WINDOW newest AS (ORDER BY settled_at DESC, seq DESC ROWS UNBOUNDED PRECEDING)) AS settled
      WHERE place > $2 OR together > $3),
  free AS (
    SELECT seq FROM delivery WHERE seq IN (SELECT seq FROM old) AND settled_at IS NOT NULL FOR UPDATE SKIP LOCKED),
  doomed AS (DELETE FROM delivery WHERE seq IN (SELECT seq FROM free) RETURNING seq)
  DELETE FROM payload USING doomed WHERE payload.place BETWEEN doomed.seq * 4 AND doomed.seq * 4 + 3
    RETURNING payload.name`;

export class DeliveryWrites {
  readonly #added: Sent[][] = [];
  readonly #replaced = new Map<number, Delivery>();

  insert(delivery: Delivery, { head, tail }: JobFrame): void {
    this.#added.push([...valuesOf(delivery), head, tail, partitionOf(delivery.endpointId)]);
  }

  replace(delivery: Delivery): void {
    this.#replaced.set(delivery.seq, delivery);
  }

  statements(): readonly Statement[] {
    const replaced = [...this.#replaced].map(([seq, delivery]) => [seq, ...changeable(delivery)]);
    return [
      ...rowStatement("add-deliveries", INSERT, STORED, this.#added),
      ...rowStatement("change-deliveries", UPDATE, CHANGED, replaced, true),
    ];
  }
}

export function pruneDeliveries({ settledFrom, maxCount, maxBytes }: KeptDeliveries): Statement {
  const values = [bound(settledFrom), bound(maxCount), bound(maxBytes)];
  return { name: "prune-deliveries", text: PRUNE, values, answersNames: true };
}
