/** What Node and the system say of this process, which all services in it share; measured from the first time it is asked for. */
import { collectDefaultMetrics, Registry } from "prom-client";

let registry: Registry | undefined;

/** `process_…` and `nodejs_…`, the lag of the event loop among them, in Prometheus' text format. */
export async function processMetrics(): Promise<string> {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry.metrics();
}
