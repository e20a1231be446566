/**
 * Bounds the connections of a listener whose peers are not let in: their number, and how long each may wait. Every listener of the
 * service has one.
 */
import type { Server, Socket } from "node:net";
import type { ListenerLimits } from "./listener-limits.ts";
import type { RefusalLog } from "./refusal-log.ts";

/** Minimum time that a connection may wait however many others come. */
const GRACE_MS = 1_000;

/** Interval of the probes by which the kernel finds out that a silent peer is gone. */
const KEEP_ALIVE_MS = 60_000;

interface Waiting {
  readonly socket: Socket;
  /** By the monotonic clock. */
  readonly since: number;
  readonly timer: NodeJS.Timeout | undefined;
}

export interface GuardOptions {
  readonly limits: ListenerLimits;
  readonly refusals: RefusalLog;
  /** Whether the guard closes a connection that waits too long. A server of HTTP does so itself, with an answer. */
  readonly closesWaiting: boolean;
}

export class ListenerGuard {
  readonly #options: GuardOptions;
  /** All that are open. */
  readonly #sockets = new Set<Socket>();
  /** Connections that are not let in yet, by peer, the longest wait first. */
  readonly #waiting = new Map<string, Waiting>();
  /** A Unix socket has no address: each gets a number. */
  readonly #numbers = new WeakMap<Socket, number>();
  #lastNumber = 0;

  constructor(server: Server, options: GuardOptions) {
    this.#options = options;
    server.prependListener("connection", (socket: Socket) => this.#connected(socket));
  }

  /** Its peer is let in: the limits of connections that wait do not concern it any more. */
  letIn(socket: Socket): void {
    if (this.#waiting.size === 0) return;
    const peer = this.#peerOf(socket);
    if (peer !== undefined) this.#forget(peer);
  }

  /** Its peer has nothing any more that it was let in for. */
  wait(socket: Socket): void {
    const peer = this.#peerOf(socket);
    if (peer === undefined || socket.destroyed || this.#waiting.has(peer)) return;
    this.#add(peer, socket);
  }

  /** Resolves when all connections are closed, at the latest after `graceMs`, when it cuts them. */
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
    // It may be cut at any time, also before others listen.
    socket.on("error", () => undefined);
    const peer = this.#peerOf(socket) ?? this.#number(socket);
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#forget(peer);
    });
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    if (this.#makeRoom(socket)) this.#add(peer, socket);
  }

  /** Closes the connection that has waited longest, or the new one where none has waited for long. */
  #makeRoom(socket: Socket): boolean {
    const { limits, refusals } = this.#options;
    if (this.#waiting.size < limits.waitingMax) return true;
    const [[peer, longest] = []] = this.#waiting;
    const isOld = longest !== undefined && performance.now() - longest.since >= GRACE_MS;
    const sentence = `${limits.name} closes connections: ${limits.waitingMax} others are not let in yet`;
    refusals.say("full", { peer: (isOld ? longest.socket : socket).remoteAddress }, sentence);
    if (isOld && peer !== undefined) this.#forget(peer);
    // Later: the server is about to set up the new one.
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

  /** The peer of a connection, and of the TLS inside it; undefined for a closed connection and for an unknown Unix socket. */
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
