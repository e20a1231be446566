/** The door for live workers that are started here: the operations of workers and nothing else, for as long as workers run. */
import { createServer, type RequestListener, type Server } from "node:http";
import { ServiceError } from "../core/service-error.ts";
import { closeServer } from "./close-server.ts";
import { CONTRACT_DIALECT } from "./dialect.ts";
import { LaterRouter } from "./later-router.ts";
import { listen, type ListenAddress, PortInUseError, urlOf } from "./listen.ts";
import { refuse } from "./refuse.ts";
import { SERVER_LIMITS } from "./server-limits.ts";
import { HttpService, type HttpServiceOptions } from "./service.ts";

/** What a worker calls: nothing that a job or the service could be managed by. */
const WORKER_OPERATION =
  /^\/live\/v2\/[^/?#]+\/(?:job-take|job-take-batch|job-stop|job-done|job-stream|ping)\/[^?#]/u;

/** How long `stop` lets requests in flight go on before it cuts them off. */
const STOP_GRACE_MS = 5_000;

export function isWorkerOperation(url: string): boolean {
  return WORKER_OPERATION.test(url);
}

/**
 * A server of its own, at the addresses that workers come from. It outlasts the one for clients: workers that drain bring
 * the results of their last jobs when clients are turned away already.
 */
export class WorkerDoor {
  readonly #service: HttpService;
  readonly #router: LaterRouter;
  readonly #listener: RequestListener;
  readonly #servers: Server[] = [];
  #stopped: Promise<void> | undefined;

  constructor(options: HttpServiceOptions) {
    this.#service = new HttpService(options);
    this.#router = new LaterRouter(this.#service, createServer());
    this.#listener = forWorkersOnly(this.#service, this.#router.listener);
  }

  /**
   * Opens it at an address of this machine, at any port where the wished one is taken; to be called once for each
   * address. Resolves with the base URL.
   *
   * @throws ListenError
   */
  async openAt(address: ListenAddress): Promise<string> {
    if (this.#stopped !== undefined) throw new Error("the service is stopping");
    const server = createServer(SERVER_LIMITS, this.#listener);
    this.#servers.push(server);
    const port = await listen(server, address).catch(async (error: unknown) => {
      if (!(error instanceof PortInUseError)) throw error;
      return listen(server, { ...address, port: 0 });
    });
    return urlOf(address, port);
  }

  /** Ends all polls. Idempotent. */
  async stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    this.#service.beginStop();
    await Promise.all(this.#servers.map((server) => closeServer(server, STOP_GRACE_MS)));
    await this.#router.close();
  }
}

function forWorkersOnly(service: HttpService, listener: RequestListener): RequestListener {
  return (request, response) => {
    if (isWorkerOperation(request.url ?? "")) return listener(request, response);
    const error = new ServiceError("not_found", "there are operations of workers only here");
    refuse({ service, dialect: CONTRACT_DIALECT, request, response }, error);
  };
}
