/** Port: checks of a worker's server from outside: its health, and other callers that could reach it. Adapter: HTTP. */
import type { ServerAddress } from "../launch/launcher.ts";

export interface HealthProbe {
  /** The HTTP status of the answer; undefined if there was none until `signal` aborted. Never rejects. */
  ask(address: ServerAddress, signal: AbortSignal): Promise<number | undefined>;
  /** At which addresses it listens that others than this machine can call; none where that cannot be told. Never rejects. */
  wideAddresses?(address: ServerAddress): Promise<readonly string[]>;
}
