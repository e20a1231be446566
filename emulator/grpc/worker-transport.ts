/**
 * The HTTP/2 connections of workers. Each stream is checked before grpc-js gets it. For a stream that was reset at once,
 * grpc-js throws an error that nothing catches.
 */
import { EventEmitter } from "node:events";
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import * as grpc from "@grpc/grpc-js";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { ListenerGuard } from "../net/listener-guard.ts";

/** Flow control window, as large as the bundles of workers. By default HTTP/2 makes them wait after each 64 kB. */
const WINDOW_BYTES = 4_000_000;

/** Maximum simultaneous streams of a connection. A worker needs one, and a second one while it reconnects. */
export const STREAMS_MAX = 16;

type Headers = Readonly<Record<string, unknown>>;
type TakeStream = (stream: ServerHttp2Stream, headers: Headers) => void;

/** One connection and its admitted sessions. */
export interface WorkerConnection {
  /** Counts an admitted session. */
  began(): void;
  ended(): void;
}

class Http2Connection implements WorkerConnection {
  readonly #socket: Socket;
  readonly #guard: ListenerGuard;
  readonly #http2: ServerHttp2Session;
  #sessions = 0;
  #isWide = false;

  constructor(socket: Socket, guard: ListenerGuard, http2: ServerHttp2Session) {
    this.#socket = socket;
    this.#guard = guard;
    this.#http2 = http2;
  }

  began(): void {
    this.#sessions += 1;
    this.#guard.letIn(this.#socket);
    this.#widen();
  }

  ended(): void {
    this.#sessions -= 1;
    if (this.#sessions === 0) this.#guard.wait(this.#socket);
  }

  /** Lets the worker send a large message in one go. */
  #widen(): void {
    if (this.#isWide || this.#http2.destroyed) return;
    this.#isWide = true;
    this.#http2.settings({ initialWindowSize: WINDOW_BYTES });
    this.#http2.setLocalWindowSize(WINDOW_BYTES);
  }
}

export class WorkerTransport {
  readonly #log: EngineLog;
  readonly #injector: ReturnType<grpc.Server["createConnectionInjector"]>;
  readonly #connections = new Map<ServerHttp2Session, Http2Connection>();
  /** The listeners of grpc-js for a new stream. */
  readonly #take: readonly TakeStream[];
  #current: Http2Connection | undefined;
  #injected: { readonly socket: Socket; readonly guard: ListenerGuard } | undefined;

  constructor(server: grpc.Server, log: EngineLog) {
    this.#log = log;
    this.#injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
    const http2 = http2ServerOf(server);
    this.#take = http2.listeners("stream") as TakeStream[];
    http2.removeAllListeners("stream");
    http2.on("stream", (stream: ServerHttp2Stream, headers: Headers) =>
      this.#stream(stream, headers),
    );
    http2.on("session", (session: ServerHttp2Session) => this.#session(session));
  }

  /** Takes a connection that `guard` has counted. */
  inject(socket: Socket, guard: ListenerGuard): void {
    this.#injected = { socket, guard };
    this.#injector.injectConnection(socket);
    this.#injected = undefined;
  }

  /** The connection of the call that grpc-js is just making. */
  get current(): WorkerConnection | undefined {
    return this.#current;
  }

  /** Ends each connection when its streams have ended. */
  close(): void {
    for (const session of this.#connections.keys()) session.close();
  }

  #session(session: ServerHttp2Session): void {
    if (this.#injected === undefined) return;
    const { socket, guard } = this.#injected;
    this.#connections.set(session, new Http2Connection(socket, guard, session));
    session.once("close", () => this.#connections.delete(session));
  }

  #stream(stream: ServerHttp2Stream, headers: Headers): void {
    stream.on("error", () => undefined);
    if (stream.destroyed || stream.closed || stream.session === undefined) return;
    this.#current = this.#connections.get(stream.session as ServerHttp2Session);
    try {
      if (isCompressed(headers)) stream.close(constants.NGHTTP2_REFUSED_STREAM);
      else for (const take of this.#take) take(stream, headers);
    } catch (error) {
      this.#log.error({ err: error }, "a stream at the worker port could not be taken");
      stream.destroy();
    } finally {
      this.#current = undefined;
    }
  }
}

/**
 * Refuses compression, which workers do not use. grpc-js unpacks all messages of a packet at once: a thousand small ones take
 * 100 MB.
 */
function isCompressed(headers: Headers): boolean {
  const encoding = headers["grpc-encoding"];
  return encoding !== undefined && encoding !== "identity";
}

/** The HTTP/2 server that grpc-js has just made and does not expose. @throws Error if this version keeps it elsewhere */
function http2ServerOf(server: grpc.Server): EventEmitter {
  const servers: unknown = Reflect.get(server, "http2Servers");
  const known: unknown[] = servers instanceof Map ? Array.from<unknown>(servers.keys()) : [];
  const made = known.at(-1);
  if (isEmitter(made) && made.listenerCount("stream") > 0) return made;
  throw new Error("this version of @grpc/grpc-js keeps its HTTP/2 server in an unknown place");
}

function isEmitter(value: unknown): value is EventEmitter {
  return value instanceof EventEmitter;
}
