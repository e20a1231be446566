/** Closes a server once its requests have ended, within a grace time. */
import type { Server } from "node:http";

/** How often a stopping server looks for connections that have become idle. */
const IDLE_SWEEP_MS = 25;

/**
 * Waits for the requests in flight, cutting them off `graceMs` after `busy` has settled; idle connections are closed at
 * once.
 */
export async function closeServer(
  server: Server,
  graceMs: number,
  busy: Promise<void> = Promise.resolve(),
): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  // A connection whose last answer did not announce its end yet becomes idle only now.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  await Promise.race([closed, busy]);
  const cutOff = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cutOff);
}
