/** Closes a server once its requests have ended, within a grace time. */
import type { Server } from "node:http";

/** Interval at which a stopping server looks for idle connections. */
const IDLE_SWEEP_MS = 25;

/** Closes idle connections at once and waits for the requests in flight. It cuts them `graceMs` after `busy` has settled. */
export async function closeServer(
  server: Server,
  graceMs: number,
  busy: Promise<void> = Promise.resolve(),
): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // A connection becomes idle here if its last answer had not announced its end.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  await Promise.race([closed, busy]);
  const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cutOff);
}
