/**
 * Limits the connections of a listener before they are let in: their number, and the time that each may wait. Every listener of the
 * service has a guard.
 */
import type { Server, Socket } from "node:net";
import type { ListenerLimits } from "./listener-limits.ts";
import type { RefusalLog } from "./refusal-log.ts";

/** Minimum time that a connection may wait, whatever the number of others. */
const GRACE_MS = 1_000;

/** Interval of the kernel's keep-alive probes to a silent peer. */
const KEEP_ALIVE_MS = 60_000;

interface Waiting {
  readonly socket: Socket;
  /** When it connected, by the monotonic clock. */
  readonly since: number;
  readonly timer: NodeJS.Timeout | undefined;
}

export interface GuardOptions {
  readonly limits: ListenerLimits;
  readonly refusals: RefusalLog;
  /** Whether the guard closes a connection that waits too long. An HTTP server does that itself, with an answer. */
  readonly closesWaiting: boolean;
  /** Whether the server keeps the process running; default: true. */
  readonly holdsProcess?: boolean | undefined;
}

export class ListenerGuard {
  readonly #options: GuardOptions;
  /** All open connections. */
  readonly #sockets = new Set<Socket>();
  /** Connections that are not let in yet, by peer; the longest wait first. */
  readonly #waiting = new Map<string, Waiting>();
  /** Number of the next Unix socket, which has no address. */
  readonly #numbers = new WeakMap<Socket, number>();
  #lastNumber = 0;

  constructor(server: Server, options: GuardOptions) {
    this.#options = options;
    if (options.holdsProcess === false) server.unref();
    server.prependListener("connection", (socket: Socket) => this.#connected(socket));
  }

  /** Lets its peer in. Limits for waiting connections no longer apply to it. */
  letIn(socket: Socket): void {
    if (this.#waiting.size === 0) return;
    const peer = this.#peerOf(socket);
    if (peer !== undefined) this.#forget(peer);
  }

  /** Counts the connection as waiting again, for example after its session. */
  wait(socket: Socket): void {
    const peer = this.#peerOf(socket);
    if (peer === undefined || socket.destroyed || this.#waiting.has(peer)) return;
    this.#add(peer, socket);
  }

  /** Resolves when all connections are closed. They are cut after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    const closed = [...this.#sockets].map(
      (socket) => new Promise((resolve) => void socket.once("close", resolve)),
    );
    const cut = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, graceMs);
    await Promise.all(closed);
    clearTimeout(cut);
  }

  #connected(socket: Socket): void {
    // The connection may be cut before others listen for errors.
    socket.on("error", () => undefined);
    const peer = this.#peerOf(socket) ?? this.#number(socket);
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#forget(peer);
    });
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    if (this.#options.holdsProcess === false) socket.unref();
    if (this.#makeRoom(socket)) this.#add(peer, socket);
  }

  /** Closes the connection that has waited longest, or the new one if none has waited long enough. */
  #makeRoom(socket: Socket): boolean {
    const { limits, refusals } = this.#options;
    if (this.#waiting.size < limits.waitingMax) return true;
    const [[peer, longest] = []] = this.#waiting;
    const isOld = longest !== undefined && performance.now() - longest.since >= GRACE_MS;
    const sentence = `${limits.name} closes connections: ${limits.waitingMax} others are not let in yet`;
    refusals.say("full", { peer: (isOld ? longest.socket : socket).remoteAddress }, sentence);
    if (isOld && peer !== undefined) this.#forget(peer);
    // Deferred because the server is about to set up the new one.
    process.nextTick(() => (isOld ? longest.socket : socket).destroy());
    return isOld;
  }

  #add(peer: string, socket: Socket): void {
    const { limits, closesWaiting } = this.#options;
    const late = () => {
      const seconds = limits.letInMs / 1_000;
      const sentence = `${limits.name} closed a connection that was not let in within ${seconds} s`;
      this.#options.refusals.say("late", { peer: socket.remoteAddress }, sentence);
      socket.destroy();
    };
    const timer = closesWaiting ? setTimeout(late, limits.letInMs).unref() : undefined;
    this.#waiting.set(peer, { socket, since: performance.now(), timer });
  }

  #forget(peer: string): void {
    clearTimeout(this.#waiting.get(peer)?.timer);
    this.#waiting.delete(peer);
  }

  /** Key of a connection and of the TLS inside it. Undefined for a closed connection and for an unknown Unix socket. */
  #peerOf(socket: Socket): string | undefined {
    const { remoteAddress, remotePort, localAddress } = socket;
    if (remoteAddress !== undefined) return `${remoteAddress} ${remotePort} ${localAddress}`;
    const number = this.#numbers.get(socket);
    return number === undefined ? undefined : String(number);
  }

  #number(socket: Socket): string {
    this.#lastNumber += 1;
    this.#numbers.set(socket, this.#lastNumber);
    return String(this.#lastNumber);
  }
}
