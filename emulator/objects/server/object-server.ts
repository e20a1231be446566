/** The object store's own port: an HTTP server with a start and a stop. */
import { closeServer } from "../../net/close-server.ts";
import { listen, type ListenAddress, urlOf } from "../../net/listen.ts";
import { LISTENERS } from "../../net/listener-limits.ts";
import type { ServerLife } from "../../net/server-life.ts";
import { createWebServer } from "../../net/web-server.ts";
import type { ObjectLog, ObjectRequests } from "./object-requests.ts";

/** Maximum size of request line and headers: a presigned URL may be long. */
const HEADERS_MAX_BYTES = 32_768;
/** Timeout of a connection without a byte in either direction during a request. */
const STILL_MAX_MS = 300_000;
/** Timeout of requests in flight during `stop`. */
const STOP_GRACE_MS = 5_000;

export interface ObjectServer {
  /** Resolves to the base URL. May be called again after a failure. @throws PortInUseError, ListenError */
  start(address: ListenAddress): Promise<string>;
  /** Stops listening, and waits for requests in flight. Idempotent, also before `start`. */
  stop(): Promise<void>;
}

export function createObjectServer(
  requests: ObjectRequests,
  log: ObjectLog,
  life?: ServerLife,
): ObjectServer {
  const { server, guarded } = createWebServer({
    limits: LISTENERS.objects,
    log,
    life,
    maxHeaderSize: HEADERS_MAX_BYTES,
    // A large object may take any time.
    requestTimeout: 0,
  });
  const listener = guarded(requests.listener(""));
  // `100 Continue` is sent when the body is read.
  server.on("request", listener).on("checkContinue", listener);
  server.setTimeout(STILL_MAX_MS);
  let started: Promise<number> | undefined;
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    await started?.catch(() => undefined);
    await closeServer(server, STOP_GRACE_MS, undefined, life);
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
