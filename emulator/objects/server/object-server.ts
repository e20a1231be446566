/** The object store's own port: an HTTP server with a start and a stop. */
import { closeServer } from "../../net/close-server.ts";
import { listen, type ListenAddress, urlOf } from "../../net/listen.ts";
import { LISTENERS } from "../../net/listener-limits.ts";
import { createWebServer } from "../../net/web-server.ts";
import type { ObjectLog, ObjectRequests } from "./object-requests.ts";

/** Request line and headers together; a presigned address may be long. */
const HEADERS_MAX_BYTES = 32_768;
/** How long a connection may be without a byte in either direction while a request is on it. */
const STILL_MAX_MS = 300_000;
/** How long `stop` lets requests in flight go on before it cuts them off. */
const STOP_GRACE_MS = 5_000;

export interface ObjectServer {
  /** Resolves with the base URL. May be called again when it failed. @throws PortInUseError, ListenError */
  start(address: ListenAddress): Promise<string>;
  /** Lets requests in flight end within a grace time. Idempotent, also before `start`. */
  stop(): Promise<void>;
}

export function createObjectServer(requests: ObjectRequests, log: ObjectLog): ObjectServer {
  const { server, guarded } = createWebServer({
    limits: LISTENERS.objects,
    log,
    maxHeaderSize: HEADERS_MAX_BYTES,
    // A large object takes as long as it takes.
    requestTimeout: 0,
  });
  const listener = guarded(requests.listener(""));
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
