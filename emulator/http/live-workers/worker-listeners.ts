/** Additional addresses that serve live workers only. */
import type { RequestListener, Server } from "node:http";
import { closeServer } from "../../net/close-server.ts";
import { listen, type ListenAddress, PortInUseError, urlOf } from "../../net/listen.ts";
import { LISTENERS } from "../../net/listener-limits.ts";
import type { ServerLife } from "../../net/server-life.ts";
import { createWebServer, type WebServerOptions } from "../../net/web-server.ts";
import { SERVER_LIMITS } from "../operation/server-limits.ts";

/** Time that `close` gives requests in flight, ms. */
const CLOSE_GRACE_MS = 5_000;

export class WorkerListeners {
  readonly #listener: RequestListener;
  readonly #log: WebServerOptions["log"];
  readonly #life: ServerLife | undefined;
  readonly #servers = new Set<Server>();
  #closed: Promise<void> | undefined;

  /** @param listener answers calls of workers, and 404 to everything else */
  constructor(listener: RequestListener, log: WebServerOptions["log"], life?: ServerLife) {
    this.#listener = listener;
    this.#log = log;
    this.#life = life;
  }

  /**
   * Listens at an address of this machine, at any free port if the given one is taken. Resolves with the base URL.
   * @throws ListenError
   */
  async openAt(address: ListenAddress): Promise<string> {
    if (this.#closed !== undefined) throw new Error("the service is stopping");
    const limits = { limits: LISTENERS.liveWorkers, log: this.#log, life: this.#life };
    const { server, guarded } = createWebServer({ ...SERVER_LIMITS, ...limits });
    server.on("request", guarded(this.#listener));
    this.#servers.add(server);
    const port = await listen(server, address).catch(async (error: unknown) => {
      if (error instanceof PortInUseError) return listen(server, { ...address, port: 0 });
      this.#servers.delete(server);
      throw error;
    });
    return urlOf(address, port);
  }

  /** Closes all listeners; call it after the workers have exited. Idempotent. */
  async close(): Promise<void> {
    const closing = [...this.#servers].map((server) =>
      closeServer(server, CLOSE_GRACE_MS, undefined, this.#life),
    );
    this.#closed ??= Promise.all(closing).then(() => undefined);
    return this.#closed;
  }
}
