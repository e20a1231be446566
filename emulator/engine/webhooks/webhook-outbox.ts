/** Lists webhook deliveries, and sends them again. */
import { type Delivery, type DeliveryFilter } from "../../core/webhooks/delivery.ts";
import type { Piece } from "../../core/jobs/opened-payload.ts";
import { invalidRequest, ServiceError } from "../../core/service-error.ts";
import type { StoreReads } from "../../store/store.ts";
import type { StepPort } from "../steps/step-port.ts";
import { deliveryBody } from "./delivery-body.ts";

export interface DeliveryPage {
  /** Newest first. */
  readonly deliveries: readonly Delivery[];
  /** The `after` of the next page. Undefined at the end. */
  readonly next: string | undefined;
}

/**
 * Up to `limit` deliveries older than the one with the id `after`.
 * @throws ServiceError invalid_request if `after` is not, or no longer, a delivery
 */
export async function listDeliveries(
  engine: StepPort,
  filter: DeliveryFilter,
  limit: number,
  after: string | undefined,
): Promise<DeliveryPage> {
  return engine.steps.read(async (view) => {
    const last = after === undefined ? undefined : await view.deliveries.byId(after);
    if (after !== undefined && last === undefined) {
      throw invalidRequest(["after names no delivery, or one that is kept no longer"]);
    }
    const found = await view.deliveries.list(filter, limit + 1, last?.seq);
    const deliveries = found.slice(0, limit);
    return { deliveries, next: found.length > limit ? deliveries.at(-1)?.id : undefined };
  });
}

export interface DeliveryWithBody {
  readonly delivery: Delivery;
  /** JSON pieces in order, exactly as sent. The caller disposes of opened payloads. */
  readonly body: readonly Piece[];
}

/** @throws ServiceError delivery_not_found */
export async function readDelivery(engine: StepPort, id: string): Promise<DeliveryWithBody> {
  return engine.steps.read(async (view) => {
    const delivery = await findDelivery(view, id);
    const body = await deliveryBody(view, delivery.seq);
    if (body === undefined) throw notFound(id);
    return { delivery, body };
  });
}

/** @throws ServiceError delivery_not_found */
export async function findDelivery(view: StoreReads, id: string): Promise<Delivery> {
  const delivery = await view.deliveries.byId(id);
  if (delivery) return delivery;
  throw notFound(id);
}

function notFound(id: string): ServiceError {
  return new ServiceError(
    "delivery_not_found",
    `there is no webhook delivery "${id}"; it may be kept no longer`,
  );
}
