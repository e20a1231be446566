/** Port: checks the health of a worker's server, and whether other machines can reach it. Adapter: HTTP. */
import type { ServerAddress } from "../launch/launcher.ts";

export interface HealthProbe {
  /** The HTTP status of the answer; undefined if there was none until `signal` aborted. Never rejects. */
  ask(address: ServerAddress, signal: AbortSignal): Promise<number | undefined>;
  /** The server's addresses that other machines can call. Empty if they are unknown. Never rejects. */
  wideAddresses?(address: ServerAddress): Promise<readonly string[]>;
}
