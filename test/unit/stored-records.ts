/** Records that a test puts into the store of an engine, past the rules of the interface. */
import type { Endpoint } from "../../emulator/core/resources/endpoints/endpoint.ts";
import type { StepPort } from "../../emulator/engine/steps/step-port.ts";

export async function storeEndpoint(engine: StepPort, endpoint: Endpoint): Promise<void> {
  await engine.steps.commit((step) => step.putRecord("endpoint", endpoint.id, endpoint));
}

export async function dropEndpoint(engine: StepPort, id: string): Promise<void> {
  await engine.steps.commit((step) => step.deleteRecord("endpoint", id));
}
