/** Changes webhook deliveries one after another, so that each change sees the stored state. */
import { type Delivery, dueAgain, keptDeliveries } from "../../core/webhooks/delivery.ts";
import { ServiceError } from "../../core/service-error.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import { findDelivery } from "./webhook-outbox.ts";

/** Stores the delivery after a try. After it is settled, the next one of its job is due, and old ones are deleted. */
export function storeTried(engine: StepPort & TimePort & WakePort, tried: Delivery): Promise<void> {
  return engine.deliveries.inTurn(async () => {
    await engine.steps.commit((step) => {
      step.replaceDelivery(tried);
      step.effects.deliveryChanged(tried);
      if (tried.settledAt !== undefined && engine.ownership.holdsService())
        step.pruneDeliveries(keptDeliveries(engine.clock.deletesUpTo()));
    });
    if (tried.settledAt !== undefined) await releaseNext(engine, tried.jobId);
  });
}

/** Makes the oldest pending delivery of the job due, unless it waits for a try. */
export function releaseDelivery(
  engine: StepPort & TimePort & WakePort,
  jobId: string,
): Promise<void> {
  return engine.deliveries.inTurn(() => releaseNext(engine, jobId));
}

/** Deletes deliveries whose retention has ended. */
export function forgetOldDeliveries(engine: StepPort & TimePort & WakePort): Promise<void> {
  const kept = keptDeliveries(engine.clock.deletesUpTo());
  return engine.deliveries.inTurn(() => engine.steps.commit((step) => step.pruneDeliveries(kept)));
}

/**
 * Makes a settled delivery due again, with its id and body and all its tries; returns the changed delivery.
 * @throws ServiceError delivery_not_found, delivery_pending, endpoint_moved
 */
export function redeliver(engine: StepPort & TimePort & WakePort, id: string): Promise<Delivery> {
  return engine.deliveries.inTurn(async () => {
    const delivery = await engine.steps.read((reads) => findDelivery(reads, id));
    if (delivery.state === "pending") {
      throw new ServiceError(
        "delivery_pending",
        `the delivery "${id}" is still being tried; it can be sent again once it is delivered or failed`,
      );
    }
    const again = dueAgain(delivery, engine.clock.now());
    await engine.steps.commit((step) => {
      step.replaceDelivery(again);
      step.effects.deliveryChanged(again);
      step.effects.add({ type: "webhook-due" });
    });
    return again;
  });
}

async function releaseNext(engine: StepPort & TimePort, jobId: string): Promise<void> {
  const next = await engine.steps.read((reads) => reads.deliveries.firstPending(jobId));
  // Also undefined if another process owns the job.
  if (next === undefined || next.nextTryAt !== undefined) return;
  await engine.steps.commit((step) => {
    step.replaceDelivery(dueAgain(next, engine.clock.now()));
    step.effects.add({ type: "webhook-due" });
  });
}
