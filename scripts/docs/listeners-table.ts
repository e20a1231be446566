/** The table of listeners with their limits, from `emulator/net/listener-limits.ts`. */
import { LISTENERS, type ListenerLimits } from "../../emulator/net/listener-limits.ts";
import { markdownTable } from "./table.ts";

export function listenersTable(): string {
  const listeners: readonly ListenerLimits[] = Object.values(LISTENERS);
  const rows = listeners.map(({ name, handshakeMs, letInMs, idleMs, waitingMax }) => [
    name,
    seconds(handshakeMs),
    seconds(letInMs),
    seconds(idleMs),
    waitingMax.toLocaleString("en-US"),
  ]);
  return markdownTable(
    ["Listener", "TLS handshake", "Let in", "Idle", "Not let in, at most"],
    rows,
  );
}

function seconds(ms: number | undefined): string {
  return ms === undefined ? "no TLS" : `${ms / 1_000} s`;
}
