/** The worker of a load balancing endpoint: runs the user's own HTTP server, and ends with the service that started it. */
import { NODE_OPTIONS, sharedPort } from "../protocol/environment/node-options.ts";
import { WORKER_ENV } from "../protocol/environment/worker-env.ts";
import { runServer } from "./run-server.ts";

const { [WORKER_ENV.handler]: file = "", [NODE_OPTIONS]: options = "" } = process.env;
process.on("uncaughtException", listen);
setImmediate(() => {
  process.off("uncaughtException", listen);
  void runServer(file, 1);
});

/** Until the server's own code runs, nothing but code of `NODE_OPTIONS` listens. */
function listen(thrown: unknown): void {
  const sentence = sharedPort(thrown, options);
  if (sentence === undefined) throw thrown;
  process.stderr.write(`${sentence}\n`);
}
