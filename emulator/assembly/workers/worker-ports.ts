/**
 * Opens the ports for workers: a gRPC socket for workers of this machine, ports with TLS for workers elsewhere and in virtual
 * machines, and HTTP for live workers.
 */
import { hash, X509Certificate } from "node:crypto";
import { availableParallelism } from "node:os";
import type { KeyRing } from "../../core/access/key-ring.ts";
import type { LeaseTerms } from "../../core/jobs/lease-terms.ts";
import type { EngineLog } from "../../engine/observe/engine-log.ts";
import { KeyWatch } from "../../engine/workers/external/key-watch.ts";
import type { OpenSession } from "../../engine/workers/session/worker-session.ts";
import { type AdmissionParts, WorkerAdmission } from "../../grpc/worker-admission.ts";
import type { TlsPort } from "../../grpc/tls-port.ts";
import { WorkerServer } from "../../grpc/worker-server.ts";
import type { HttpServer } from "../../http/server.ts";
import { WorkerListeners } from "../../http/live-workers/worker-listeners.ts";
import type { Clock } from "../../core/time/clock.ts";
import type { LiveService } from "../../launch/live-environment.ts";
import type { Certificate } from "../../net/certificate.ts";
import type { ServerLife } from "../../net/server-life.ts";
import { makeCertificate } from "../../net/make-certificate.ts";
import type { Elsewhere } from "./elsewhere.ts";
import type { Ownership } from "../../store/ownership.ts";

const LOOPBACK = "127.0.0.1";

/** A port of 127.0.0.1 with TLS, for containers in a virtual machine that forwards to it. */
export interface LoopbackPort {
  readonly port: number;
  /** SHA-256 of its certificate. */
  readonly fingerprint: Uint8Array;
}

export interface WorkerPortsOptions {
  readonly context: AdmissionParts["engine"] & ConstructorParameters<typeof KeyWatch>[0];
  readonly keys: KeyRing;
  readonly ownership: Ownership | undefined;
  readonly openSession: OpenSession;
  readonly http: Pick<HttpServer, "forWorkers">;
  readonly log: EngineLog;
  readonly clock: Clock;
  /** Path of the socket for workers of this machine. */
  readonly workerSocket: string;
  readonly life: ServerLife;
}

export class WorkerPorts {
  readonly #server: WorkerServer;
  readonly #listeners: WorkerListeners;
  #liveUrl: string | undefined;
  #elsewhere: TlsPort | undefined;
  #loopback: Promise<LoopbackPort> | undefined;

  readonly #keyWatch: KeyWatch;
  readonly #log: EngineLog;
  readonly #clock: Clock;

  constructor(options: WorkerPortsOptions) {
    const { context, keys, ownership, openSession, http, log, clock, workerSocket, life } = options;
    const admission = new WorkerAdmission({ engine: context, keys, ownership });
    this.#keyWatch = new KeyWatch(context, keys);
    this.#log = log;
    this.#clock = clock;
    this.#server = new WorkerServer({
      address: `unix:${workerSocket}`,
      log,
      admit: (caller) => admission.admit(caller),
      openSession,
      life,
    });
    this.#listeners = new WorkerListeners(http.forWorkers, log, life);
  }

  /** @param hasCommands whether live workers are started as processes of this machine */
  async start(hasCommands: boolean): Promise<void> {
    await this.#server.start();
    if (hasCommands) this.#liveUrl = await this.#listeners.openAt({ host: LOOPBACK, port: 0 });
  }

  /** The URL for live workers of this machine. */
  get liveUrl(): string {
    if (this.#liveUrl === undefined) throw new Error("it was started for no live workers");
    return this.#liveUrl;
  }

  /** Opens the port for workers from elsewhere. @throws ListenError */
  async serveElsewhere(elsewhere: Elsewhere): Promise<void> {
    this.#elsewhere = await this.#server.listenTls(elsewhere.port);
    this.#log.info({ address: elsewhere.address() }, "workers from elsewhere can connect");
  }

  /** The first call opens the port. @throws ListenError */
  async serveLoopback(): Promise<LoopbackPort> {
    this.#loopback ??= openLoopbackPort(this.#server, this.#clock.now());
    return this.#loopback;
  }

  /** The port for workers from elsewhere. Undefined without one, and before it is open. */
  get elsewherePort(): number | undefined {
    return this.#elsewhere?.port;
  }

  /** Shows this certificate to workers from elsewhere from now on. */
  useCertificate(certificate: Certificate): void {
    this.#elsewhere?.useCertificate(certificate);
  }

  /** Also serves live workers at a further address, if possible at the same port. @throws ListenError */
  async serveLiveAt(host: string, port: number): Promise<string> {
    return this.#listeners.openAt({ host, port });
  }

  async stop(): Promise<void> {
    this.#keyWatch.stop();
    await Promise.all([this.#server.stop(), this.#listeners.close()]);
  }
}

/** Its certificate is not stored: the workers that know it end with this process. @param now ms since the epoch @throws ListenError */
export async function openLoopbackPort(
  server: Pick<WorkerServer, "listenTls">,
  now: number,
): Promise<LoopbackPort> {
  const certificate = await makeCertificate(now);
  const { raw } = new X509Certificate(certificate.cert);
  const listen = { host: LOOPBACK, port: 0 };
  const { port } = await server.listenTls({ listen, certificate });
  return { port, fingerprint: hash("sha256", raw, "buffer") };
}

/** Interval at which live workers renew their leases, the same as ours. */
export function liveTermsOf({ leaseRenewalMs }: LeaseTerms): Omit<LiveService, "url"> {
  return { pingIntervalMs: leaseRenewalMs, cpuCount: availableParallelism() };
}
