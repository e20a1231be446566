/** What is remembered of an endpoint between two decisions about its workers. */
import type { Disarm } from "../../../core/time/clock.ts";
import type { Endpoint } from "../../../core/resources/endpoint.ts";
import type { WorkerHandle } from "../worker-handle.ts";
import { StartBackoff } from "./start-backoff.ts";

export class EndpointScale {
  /** The version all of this is about: what failed of an earlier one says nothing. */
  readonly version: number;
  readonly backoff = new StartBackoff();
  lastStartAt: number | undefined;
  /** Why the last worker that was wanted could not be started; undefined if it was. */
  refusal: string | undefined;
  disarm: Disarm | undefined;

  constructor({ version }: Pick<Endpoint, "version">) {
    this.version = version;
  }

  /** Learns from the workers there are. */
  look(workers: readonly WorkerHandle[]): void {
    for (const { state, endpointVersion, life } of workers) {
      if (state === "ready" && endpointVersion === this.version && life.readyAt !== undefined)
        this.backoff.sawReady(life.readyAt);
    }
  }
}
