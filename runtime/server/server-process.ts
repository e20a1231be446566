/** The worker of a load balancing endpoint: runs the user's own HTTP server, and ends with the service that started it. */
import { WORKER_ENV } from "../protocol/worker-env.ts";
import { runServer } from "./run-server.ts";

void runServer(process.env[WORKER_ENV.handler] ?? "", 1);
