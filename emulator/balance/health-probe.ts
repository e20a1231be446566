/** Port: how the server of a worker is asked for its health. Adapter: HTTP. */
import type { ServerAddress } from "../launch/launcher.ts";

export interface HealthProbe {
  /** The HTTP status of the answer; undefined if there was none until `signal` aborted. Never rejects. */
  ask(address: ServerAddress, signal: AbortSignal): Promise<number | undefined>;
}
