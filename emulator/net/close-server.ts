/** Closes a server once its requests have ended, within a grace time. */
import type { Server } from "node:http";
import { inHaste, type ServerLife } from "./server-life.ts";

/** Interval at which a stopping server looks for idle connections. */
const IDLE_SWEEP_MS = 25;

/**
 * Closes idle connections at once and waits for the requests in flight. It cuts them `graceMs` after `busy` has settled, or in a stop
 * in haste.
 */
export async function closeServer(
  server: Server,
  graceMs: number,
  busy: Promise<void> = Promise.resolve(),
  life?: ServerLife,
): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // A connection becomes idle here if its last answer had not announced its end.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  const cut = () => server.closeAllConnections();
  const calledOff = inHaste(life, cut);
  await Promise.race([closed, busy]);
  const cutOff = setTimeout(cut, graceMs);
  await closed;
  calledOff();
  clearInterval(sweep);
  clearTimeout(cutOff);
}
