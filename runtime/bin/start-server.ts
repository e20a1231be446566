/** `sv-worker server [file]`: runs the HTTP server of a load balancing endpoint, in this process. */
import fs from "node:fs";
import path from "node:path";
import { SERVER_ENV, variable, WORKER_ENV } from "../protocol/environment/worker-env.ts";
import { EXIT } from "./usage.ts";

/** Defaults of a server's template (live; the address is ours, because an image has its own network). */
const DEFAULTS = { host: "0.0.0.0", port: "80", healthPath: "/ping" } as const;

/**
 * Resolves when the server's program is loaded. The program has the process to itself: it handles signals, and the process
 * ends with it. The process also ends when a launcher that held standard input open closes it.
 */
export async function startServer(file: string, env: NodeJS.ProcessEnv): Promise<void> {
  env[SERVER_ENV.host] = variable(env, SERVER_ENV.host) ?? DEFAULTS.host;
  const port = (env[SERVER_ENV.port] = variable(env, SERVER_ENV.port) ?? DEFAULTS.port);
  const healthPort = (env[SERVER_ENV.healthPort] = variable(env, SERVER_ENV.healthPort) ?? port);
  const healthPath = (env[SERVER_ENV.healthPath] =
    variable(env, SERVER_ENV.healthPath) ?? DEFAULTS.healthPath);
  const place = variable(env, WORKER_ENV.heartbeatFile);
  if (place !== undefined) {
    tellHealthCheck(place, `http://localhost:${healthPort}/${healthPath.replace(/^\/+/u, "")}`);
  }
  if (env[WORKER_ENV.exitOnStdinEnd] === "1") exitOnStdinEnd();
  const { runServer } = await import("../server/run-server.ts");
  await runServer(path.resolve(file), EXIT.handlerUnusable);
}

/** Writes the server's address into the heartbeat file: the health check of the image calls the server itself. */
function tellHealthCheck(file: string, address: string): void {
  try {
    fs.writeFileSync(file, `${address}\n`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    process.stderr.write(`the server's health cannot be checked: ${why}\n`);
  }
}

function exitOnStdinEnd(): void {
  const end = (): never => process.exit(EXIT.failed);
  process.stdin.on("end", end).on("error", end).on("close", end).resume();
  // Standard input must not keep an idle server alive. Only pipes and terminals have `unref`.
  if ("unref" in process.stdin) process.stdin.unref();
}
