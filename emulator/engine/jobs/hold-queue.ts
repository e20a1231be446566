/** Holds and releases an endpoint's queue: while it is held, no job is handed to a worker. */
import { assignFreeCredit } from "./assign-free.ts";
import type { Uses } from "../parts/engine-parts.ts";

/** Jobs that run go on. @throws ServiceError endpoint_not_found, wrong_endpoint_type */
export function holdQueue(engine: Uses<"directory" | "fleet">, endpointId: string): void {
  engine.directory.queue(endpointId);
  engine.fleet.hold(endpointId, true);
}

/** Resolves when the jobs that a worker is free for are handed over. */
export async function releaseQueue(
  engine: Uses<"clock" | "endpointChanged" | "fleet" | "lease" | "random" | "steps">,
  endpointId: string,
): Promise<void> {
  engine.fleet.hold(endpointId, false);
  await assignFreeCredit(engine, endpointId);
  engine.endpointChanged(endpointId);
}
