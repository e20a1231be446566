/** Opens the ports for workers: a gRPC socket for ours, a port with TLS for those from elsewhere, HTTP for live workers. */
import { availableParallelism } from "node:os";
import type { KeyRing } from "../core/access/key-ring.ts";
import type { LeaseTerms } from "../core/jobs/lease-terms.ts";
import type { EngineLog } from "../engine/observe/engine-log.ts";
import { KeyWatch } from "../engine/workers/external/key-watch.ts";
import type { OpenSession } from "../engine/workers/session/worker-session.ts";
import { type AdmissionParts, WorkerAdmission } from "../grpc/worker-admission.ts";
import type { TlsPort } from "../grpc/tls-port.ts";
import { WorkerServer } from "../grpc/worker-server.ts";
import type { HttpServer } from "../http/server.ts";
import { WorkerListeners } from "../http/workers/worker-listeners.ts";
import type { LiveService } from "../launch/live-environment.ts";
import type { Certificate } from "../net/certificate.ts";
import type { Elsewhere } from "./elsewhere.ts";
import type { Ownership } from "../store/ownership.ts";

const LOOPBACK = "127.0.0.1";

export interface WorkerPortsOptions {
  readonly context: AdmissionParts["engine"] & ConstructorParameters<typeof KeyWatch>[0];
  readonly keys: KeyRing;
  readonly ownership: Ownership | undefined;
  readonly openSession: OpenSession;
  readonly http: Pick<HttpServer, "forWorkers">;
  readonly log: EngineLog;
  /** Path of the socket for workers of this machine. */
  readonly workerSocket: string;
}

export class WorkerPorts {
  readonly #server: WorkerServer;
  readonly #listeners: WorkerListeners;
  #liveUrl: string | undefined;
  #elsewhere: TlsPort | undefined;

  readonly #keyWatch: KeyWatch;
  readonly #log: EngineLog;

  constructor(options: WorkerPortsOptions) {
    const { context, keys, ownership, openSession, http, log, workerSocket } = options;
    const admission = new WorkerAdmission({ engine: context, keys, ownership });
    this.#keyWatch = new KeyWatch(context, keys);
    this.#log = log;
    this.#server = new WorkerServer({
      address: `unix:${workerSocket}`,
      log,
      admit: (caller) => admission.admit(caller),
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

  /** Opens the port for workers from elsewhere. @throws ListenError */
  async serveElsewhere(elsewhere: Elsewhere): Promise<void> {
    this.#elsewhere = await this.#server.listenTls(elsewhere.port);
    this.#log.info({ address: elsewhere.address() }, "workers from elsewhere can connect");
  }

  /** The port for workers from elsewhere; undefined if there is none, or not yet. */
  get elsewherePort(): number | undefined {
    return this.#elsewhere?.port;
  }

  /** Workers from elsewhere get this certificate from now on. */
  useCertificate(certificate: Certificate): void {
    this.#elsewhere?.useCertificate(certificate);
  }

  /** Serves live workers at a further address, too, if possible at that port. @throws ListenError */
  async serveLiveAt(host: string, port: number): Promise<string> {
    return this.#listeners.openAt({ host, port });
  }

  async stop(): Promise<void> {
    this.#keyWatch.stop();
    await Promise.all([this.#server.stop(), this.#listeners.close()]);
  }
}

/** A live worker renews its leases as often as one of ours. */
export function liveTermsOf({ leaseRenewalMs }: LeaseTerms): Omit<LiveService, "url"> {
  return { pingIntervalMs: leaseRenewalMs, cpuCount: availableParallelism() };
}
