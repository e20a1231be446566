/** Opens the ports for workers: a gRPC socket for ours, HTTP for live workers. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { LeaseTerms } from "../core/jobs/lease-terms.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import type { WorkerTokens } from "../engine/workers/worker-tokens.ts";
import type { OpenSession } from "../engine/workers/worker-session.ts";
import { WorkerServer } from "../grpc/worker-server.ts";
import type { HttpServer } from "../http/server.ts";
import { WorkerListeners } from "../http/workers/worker-listeners.ts";
import type { LiveService } from "../launch/live-environment.ts";

const LOOPBACK = "127.0.0.1";

export interface WorkerPortsOptions {
  /** The tokens of workers. */
  readonly tokens: WorkerTokens;
  readonly openSession: OpenSession;
  readonly http: Pick<HttpServer, "forWorkers">;
  readonly log: EngineLog;
  /** For the socket. */
  readonly temporaryDir: string;
}

export class WorkerPorts {
  readonly #server: WorkerServer;
  readonly #listeners: WorkerListeners;
  #liveUrl: string | undefined;

  constructor({ tokens, openSession, http, log, temporaryDir }: WorkerPortsOptions) {
    this.#server = new WorkerServer({
      address: `unix:${workerSocketIn(temporaryDir)}`,
      log,
      authenticate: (token) => tokens.find(token),
      openSession,
    });
    this.#listeners = new WorkerListeners(http.forWorkers);
  }

  /** @param hasCommands whether live workers are started as processes of this machine */
  async start(hasCommands: boolean): Promise<void> {
    await this.#server.start();
    if (hasCommands) this.#liveUrl = await this.#listeners.openAt({ host: LOOPBACK, port: 0 });
  }

  /** The URL for live workers that are processes. */
  get liveUrl(): string {
    if (this.#liveUrl === undefined) throw new Error("it was started for no live workers");
    return this.#liveUrl;
  }

  /** Serves live workers at a further address, too, if possible at that port. @throws ListenError */
  async serveLiveAt(host: string, port: number): Promise<string> {
    return this.#listeners.openAt({ host, port });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#server.stop(), this.#listeners.close()]);
  }
}

export function workerSocketIn(temporaryDir: string): string {
  return join(temporaryDir, "worker.sock");
}

/** A live worker renews its leases as often as one of ours. */
export function liveTermsOf({ leaseRenewalMs }: LeaseTerms): Omit<LiveService, "url"> {
  return { pingIntervalMs: leaseRenewalMs, cpuCount: availableParallelism() };
}
