/** The worker of a load balancing endpoint: runs the user's own HTTP server, and ends with the service that started it. */
import { startWatchdog } from "../handler/start-watchdog.ts";
import { WORKER_ENV } from "../protocol/worker-env.ts";
import { runServer } from "./run-server.ts";

// The service may be killed while the server is being loaded or blocks its event loop.
startWatchdog();
void runServer(process.env[WORKER_ENV.handler] ?? "", 1);
