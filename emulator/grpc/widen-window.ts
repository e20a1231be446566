/**
 * Lets a worker send a large message in one go. HTTP/2 has it wait for the other side after each 64 kB by default, and
 * grpc-js has an option for that on the side of the client only.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerHttp2Stream } from "node:http2";
import { WORKER_SERVICE } from "../../runtime/protocol/wire/worker-wire.ts";

/** As large as the bundles that workers send. */
const WINDOW_BYTES = 4_000_000;

const STREAM_START = "http2.server.stream.start";

interface StreamStart {
  readonly stream: ServerHttp2Stream;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** From now on, for workers' sessions of this process. */
export function widenWindows(): Disposable {
  subscribe(STREAM_START, widen);
  return { [Symbol.dispose]: () => unsubscribe(STREAM_START, widen) };
}

/** @param message as Node documents it for that channel */
function widen(message: unknown): void {
  const { stream, headers } = message as StreamStart;
  if (headers[":path"] !== WORKER_SERVICE.session.path) return;
  stream.session?.settings({ initialWindowSize: WINDOW_BYTES });
  stream.session?.setLocalWindowSize(WINDOW_BYTES);
}
