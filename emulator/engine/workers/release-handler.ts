/** Releases a new version of a handler file: its endpoints get their next version, and their workers load it. */
import { iso } from "../../core/time/iso.ts";
import type { Reload } from "../../../runtime/protocol/session.ts";
import { rolled } from "../../core/resources/endpoints/endpoint-change.ts";
import type { Endpoint } from "../../core/resources/endpoints/endpoint.ts";
import type { Step } from "../steps/step.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { WorkerPort } from "./worker-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import { putEndpoint } from "../resources/endpoints/put-endpoint.ts";

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
  engine: StepPort & TimePort & WorkerPort & TellPort & CatalogPort & WakePort,
  imageName: string,
  module: HandlerModule | undefined,
): Promise<readonly Endpoint[]> {
  const endpoints = await engine.steps.commit((step) => rollEndpoints(engine, step, imageName));
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

function rollEndpoints(
  engine: TimePort & CatalogPort,
  step: Step,
  imageName: string,
): readonly Endpoint[] {
  const { directory } = engine;
  const rolledOnes: Endpoint[] = [];
  for (const { id, templateId } of directory.endpoints()) {
    if (directory.findTemplate(templateId)?.imageName !== imageName) continue;
    const stored = step.record("endpoint", id);
    if (!stored) continue;
    const endpoint = rolled(stored);
    putEndpoint(step, iso(engine.clock.now()), endpoint);
    rolledOnes.push(endpoint);
  }
  return rolledOnes;
}
