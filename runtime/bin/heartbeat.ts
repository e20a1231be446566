/** Writes a worker's heartbeat file, for observers that can only read files, such as the health check of its image. */
import fs from "node:fs";
import type { WorkerLog } from "../protocol/worker-log.ts";
import { type Environment, variable, WORKER_ENV } from "../protocol/environment/worker-env.ts";

const BEAT_MS = 5_000;

/**
 * Makes the file, then touches it every 5 s while the event loop of this process turns: the loop that renews leases and
 * enforces deadlines. The file says nothing about the handler. If it cannot be written, the log says so once, and the worker
 * goes on. The returned function ends the heartbeat.
 */
export function startHeartbeat(file: string, log: WorkerLog, beatMs = BEAT_MS): () => void {
  let hasFailed = false;
  const failed = (error: NodeJS.ErrnoException | null): void => {
    if (error === null || hasFailed) return;
    hasFailed = true;
    log.write("warn", `the heartbeat file cannot be written: ${error.message}`);
  };
  fs.writeFile(file, "", failed);
  const timer = setInterval(() => {
    const now = new Date();
    fs.utimes(file, now, now, failed);
  }, beatMs).unref();
  return () => clearInterval(timer);
}

/** Starts the heartbeat of the file that the environment names, if any. */
export function startHeartbeatOf(env: Environment, log: WorkerLog): void {
  const file = variable(env, WORKER_ENV.heartbeatFile);
  if (file !== undefined) startHeartbeat(file, log);
}
