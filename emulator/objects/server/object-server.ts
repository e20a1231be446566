/** The object store's own port: an HTTP server with a start and a stop. */
import { createServer } from "node:http";
import { closeServer } from "../../net/close-server.ts";
import { listen, type ListenAddress, urlOf } from "../../net/listen.ts";
import type { ObjectRequests } from "./object-requests.ts";

/** Request line and headers together; a presigned address may be long. */
const HEADERS_MAX_BYTES = 32_768;
const HEADERS_TIMEOUT_MS = 60_000;
/** How long a connection may be without a byte in either direction while a request is on it. */
const STILL_MAX_MS = 300_000;
/** Longer than the idle time of usual clients, so that they close first and no request is lost. */
const KEEP_ALIVE_MS = 72_000;
/** How long `stop` lets requests in flight go on before it cuts them off. */
const STOP_GRACE_MS = 5_000;

export interface ObjectServer {
  /** Resolves with the base URL. May be called again when it failed. @throws PortInUseError, ListenError */
  start(address: ListenAddress): Promise<string>;
  /** Lets requests in flight end within a grace time. Idempotent, also before `start`. */
  stop(): Promise<void>;
}

export function createObjectServer(requests: ObjectRequests): ObjectServer {
  const server = createServer({
    maxHeaderSize: HEADERS_MAX_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // A large object takes as long as it takes.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  const listener = requests.listener("");
  // `100 Continue` is sent when the body is really wanted.
  server.on("request", listener).on("checkContinue", listener);
  server.setTimeout(STILL_MAX_MS);
  let started: Promise<number> | undefined;
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await started?.catch(() => undefined);
    await closeServer(server, STOP_GRACE_MS);
    await requests.settle();
  };
  return {
    async start(address) {
      started = listen(server, address);
      return urlOf(address, await started);
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
