/** The state of an endpoint between two decisions of the scaler. */
import type { Disarm } from "../../../core/time/clock.ts";
import type { Endpoint } from "../../../core/resources/endpoint.ts";
import type { WorkerHandle } from "../worker-handle.ts";
import { StartBackoff } from "./start-backoff.ts";

export class EndpointScale {
  /** The version of the endpoint: failures of an earlier one do not count. */
  readonly version: number;
  readonly backoff = new StartBackoff();
  lastStartAt: number | undefined;
  /** Why the last worker could not be started; undefined if it was started. */
  refusal: string | undefined;
  disarm: Disarm | undefined;

  constructor({ version }: Pick<Endpoint, "version">) {
    this.version = version;
  }

  /** Records which workers became ready. */
  observe(workers: readonly WorkerHandle[]): void {
    for (const { state, endpointVersion, life } of workers) {
      if (state === "ready" && endpointVersion === this.version && life.readyAt !== undefined)
        this.backoff.becameReady(life.readyAt);
    }
  }
}

/**
 * Whether workers of the old version serve until one of the new version is healthy (ours), because requests have no queue to
 * wait in. Not with GPUs: the new worker may have to wait for those of the old one.
 */
export function hasStandIns({ type, computeType }: Endpoint): boolean {
  return type === "LOAD_BALANCING" && computeType !== "GPU";
}
