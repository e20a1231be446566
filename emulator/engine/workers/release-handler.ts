/** Releases a new version of a handler file: its endpoints get their next version, and their workers load it. */
import { iso } from "../../core/time/iso.ts";
import type { Reload } from "../../../runtime/protocol/session.ts";
import type { Endpoint } from "../../core/resources/endpoints/endpoint.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "./worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import { rollEndpoints } from "../resources/endpoints/put-endpoint.ts";

/** What the workers load. */
export type HandlerModule = Pick<Reload, "modulePath" | "sourcePath">;

/**
 * Workers that can reload load the new module beside the old one; others are replaced, as with every new version. Call it when
 * starting workers already get the new module.
 * @param imageName image name of the templates that run the handler
 * @param module undefined if the handler was removed; then all workers leave
 * @throws ServiceError storage_full
 */
export async function releaseHandler(
  engine: StepPort & TimePort & WorkerPort & TellPort & WakePort,
  imageName: string,
  module: HandlerModule | undefined,
): Promise<readonly Endpoint[]> {
  const at = iso(engine.clock.now());
  const endpoints = await engine.steps.commit((step) =>
    step
      .records("template")
      .filter((template) => template.imageName === imageName)
      .flatMap((template) => rollEndpoints(step, at, template)),
  );
  for (const endpoint of endpoints) {
    const { id, version } = endpoint;
    for (const worker of module ? engine.fleet.workersOf(id) : []) {
      if (module && worker.canReload) worker.reload({ version, ...module });
    }
    engine.tell({ type: "endpoint", endpointId: id, change: "changed" });
    engine.endpointChanged(id);
  }
  return endpoints;
}
