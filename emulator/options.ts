/** Options for starting the service as a library, and the running emulator. */
import type { DashboardMode } from "./core/access/dashboard-mode.ts";
import type { PriceTable } from "./core/billing/prices.ts";
import type { PodTemplate } from "./launch/kubernetes/pod-template.ts";
import type { GpuSetting } from "./core/workers/gpu-declaration.ts";
import type { AttemptEnd } from "./core/observe/log/attempt-end.ts";
import type { ExceededLimit } from "./core/limits/limit-report.ts";
import type { LimitMode } from "./core/limits/rate-limit.ts";
import type { EngineLog } from "./engine/observe/engine-log.ts";
import type { HandlerTold } from "./engine/resources/endpoints/handler-schemas.ts";
import type { ServedResources } from "./core/resources/endpoints/served-endpoint.ts";
import type { FunctionEndpoint } from "./handlers/function-endpoint.ts";
import type { CommandEndpoint, ImageEndpoint, LocalHandler } from "./handlers/local-endpoint.ts";
import type { HandlerSearch } from "./reload/reloader.ts";
import type { S3Access } from "./objects/object-service.ts";
import type { JobRecord } from "./test-kit/job-record.ts";
import type { TestKit } from "./test-kit/test-kit.ts";

/** A line that a worker or its handler wrote. */
export interface WorkerLine {
  readonly workerId: string;
  readonly endpointId: string;
  readonly line: string;
}

/**
 * Options of `startEmulator`. If one of its functions throws, the error is logged once with its stack, and the service goes on.
 */
export interface EmulatorOptions {
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on; default 7080, 0 for any free one. */
  readonly port?: number;
  /**
   * PEM files of a certificate, followed by those of its authorities, and of its private key without a passphrase. The port
   * then accepts HTTPS only, and `workerPort` has the same certificate. Changed files are read again. The port of the object
   * store does not change.
   */
  readonly tls?: { readonly cert: string; readonly key: string };
  /**
   * Port for workers from elsewhere; 0 for any free one. Default: none. These workers speak the worker protocol over TLS, with
   * a key of the scope `workers`. Without `tls` a certificate is made at the first start and kept with the records.
   */
  readonly workerPort?: number;
  /**
   * Address for workers from elsewhere, as `host:port`. Default: that port on the host of `advertise`, else on `host`, else on
   * the name of this machine if `host` is all addresses.
   */
  readonly workerAddress?: string;
  /**
   * Further names of the service in Host headers, without ports: `emulator.example.com`, `*.example.com` for all names below
   * that one, or `*` for any name, which lets every page in a browser of this machine call the service (DNS rebinding). Always
   * allowed: loopback names and addresses, all names below `localhost`, `host` (all addresses for 0.0.0.0 or ::, and the
   * machine's name unless it is a loopback address), the address a connection came to, and the names that containers use.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Other origins with pages that may call the service from a browser, like `http://localhost:3000`; `*` for any. Default:
   * requests with another Origin header are refused.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Proxies whose `X-Forwarded-For`, `-Proto` and `-Host` headers count: addresses, ranges like `10.0.0.0/8`, `loopback`, or
   * `private`. Default: none.
   */
  readonly trustProxy?: readonly string[];
  /**
   * The object store for workers and other S3 clients; false for none. By default there is one, unless there are only
   * `endpoints` and no `handlers`, `commands` or `images`. Default port: the one above `port`, or any free one if that is taken
   * or `port` is 0.
   */
  readonly s3?: false | { readonly port?: number };
  /**
   * Directory that keeps everything over restarts. Without it everything is in memory, objects are in a temporary directory,
   * and all is lost at the end.
   */
  readonly dataDir?: string;
  /**
   * A PostgreSQL database that keeps jobs and all records instead of the data directory:
   * `postgres://user:password@host:port/database`. The objects of the object store and volumes stay in the data directory of
   * this machine. It needs a `secretKey`.
   */
  readonly store?: string;
  /**
   * A bucket of an S3 service for payloads above 256 kB, beside `store`: `s3://bucket/prefix?endpoint=…&region=…`, with
   * `accessKeyId` and `secretAccessKey` as further parameters. Defaults: `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`
   * and `AWS_SECRET_ACCESS_KEY`. Without a bucket the database has all payloads.
   */
  readonly objects?: string;
  /**
   * URL at which other emulators reach this one, like `http://10.0.0.7:8888`. Emulators with such a URL share the database of
   * `store`: each works for some of the endpoints, and any of them takes any request. Without it, this emulator uses the
   * database alone.
   */
  readonly advertise?: string;
  /** Whether `advertise` may be plain HTTP to another machine, which anyone on the way can read; default: false. */
  readonly insecureReplicas?: boolean;
  /** The user's API key; by default one is generated at the first start of a data directory. */
  readonly apiKey?: string;
  /** A separate key for the emulator's operations under `/emulator`. Default: the user's key is valid for them too. */
  readonly adminKey?: string;
  /** One more key for everything, for programs of this machine. It is valid until the stop, and never stored. */
  readonly localKey?: string;
  /**
   * The key that encrypts stored secrets: 32 bytes in base64. By default the first start makes it, and keeps it in the file
   * `secret.key` of the data directory. Required with `store`.
   */
  readonly secretKey?: string;
  /**
   * The secret that signs webhook calls: `whsec_` and the base64 of 24 to 64 bytes. Default: one is made at the first start and
   * stored. A given secret is valid for this start.
   */
  readonly webhookSecret?: string;
  /** Whether webhooks may call private, loopback and link-local addresses; by default only if `host` is a loopback address. */
  readonly localWebhooks?: boolean;
  /** Handler modules to serve. Each is an endpoint with worker processes. */
  readonly handlers?: readonly LocalHandler[];
  /** Endpoints with processes of a command as workers: any program that speaks the live protocol. */
  readonly commands?: readonly CommandEndpoint[];
  /** Endpoints of container images to serve. */
  readonly images?: readonly ImageEndpoint[];
  /** Network volumes, registry auths and templates that endpoints share. The start creates or updates them like endpoints. */
  readonly resources?: Partial<ServedResources>;
  /** Endpoints, by id, with functions of this process as handlers: for tests. */
  readonly endpoints?: Readonly<Record<string, FunctionEndpoint>>;
  /**
   * Service time: the machine's (`system`, the default), or a clock that only `clock.advance` moves (`manual`), so that nothing
   * becomes due by itself. Running handlers keep real time in both cases.
   */
  readonly clock?: "system" | "manual";
  /**
   * Whether handler files are watched, so that new jobs run the saved code; default: false. With a search, new and removed
   * handlers are noticed too.
   */
  readonly watch?: boolean | HandlerSearch;
  /**
   * Whether watched files are polled. Default: those on file systems that do not report all changes, such as NFS, FUSE and shared
   * folders of virtual machines.
   */
  readonly poll?: boolean | undefined;
  /**
   * The GPUs of workers of GPU endpoints: `auto` (the default) asks nvidia-smi, `none` is a machine without GPUs. Names with
   * numbers like `NVIDIA L4=2,NVIDIA H200=1`, or a list, declare GPUs; types that the machine lacks are simulated. `simulate`
   * simulates any number of any type.
   */
  readonly gpus?: GpuSetting;
  /**
   * Whether workers of templates with an image run as containers: `auto` (the default) uses the Docker engine that
   * `DOCKER_HOST` names, from the first such worker on; `off` runs no containers.
   */
  readonly docker?: "auto" | "off";
  /**
   * A namespace of a Kubernetes cluster: workers of templates with an image run there as pods, instead of containers. The
   * current context of the kubeconfig (`KUBECONFIG`) selects the cluster, or the service account of the pod that the service
   * runs in.
   */
  readonly kubernetes?: string;
  /**
   * Merged under the pod of each worker: for example requests of its container `worker`, tolerations, a runtime class,
   * annotations. The form is that of a Kubernetes pod template. What the service itself sets wins.
   */
  readonly kubernetesPod?: PodTemplate;
  /**
   * Time without a message after which a worker counts as lost, is ended and replaced, ms; default 15,000, at least 1,000.
   * Workers send three messages in this time.
   */
  readonly leaseMs?: number;
  /** Prices for bills; default `DEFAULT_PRICES`, round made-up figures. */
  readonly prices?: PriceTable;
  /**
   * Handling of requests over the live service's rate limits: refused with 429 (`enforce`, the default), allowed with a header
   * and a line in the log (`warn`), or not counted (`off`). All other limits stay.
   */
  readonly limits?: LimitMode;
  /** The dashboard at `/`: `on` (the default), `read-only` for looking only, `off` for none. */
  readonly dashboard?: DashboardMode;
  /**
   * Whether traces are sent by OTLP over HTTP. OpenTelemetry's variables of this process (`OTEL_…`) are the settings. Default:
   * true if `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` names a collector.
   */
  readonly traces?: boolean;
  /** The log of the service; default: none. */
  readonly log?: EngineLog;
  /** Called with each line that a worker writes. */
  readonly workerLine?: (line: WorkerLine) => void;
  /** Called with each ended attempt of a job, and with each job that ended without an attempt. Costs no read of the store. */
  readonly attemptEnded?: (end: AttemptEnd) => void;
  /**
   * Called with the input and output schema of an endpoint's handler, each time a worker reports them; empty for a handler
   * without schemas.
   */
  readonly handlerTold?: HandlerTold;
  /**
   * Called once if another emulator took over the `store`. This one then stores nothing more, refuses all requests, and should
   * be stopped.
   */
  readonly storeLost?: (error: Error) => void;
  /** Called with each job as it ends. */
  readonly jobEnded?: (job: JobRecord) => void;
}

export interface Emulator extends TestKit, AsyncDisposable {
  /** For example `http://127.0.0.1:7080`, or with `https`. */
  readonly url: string;
  /** Address for workers from elsewhere, as `tls://host:port`; undefined without `workerPort`. */
  readonly workerAddress: string | undefined;
  /** The user's API key, if it was given or generated in this start. */
  readonly apiKey: string | undefined;
  /** The secret that signs webhook calls, for verifying them. */
  readonly webhookSecret: string;
  readonly endpointIds: readonly string[];
  /** Address and keys of the object store; undefined without one. */
  readonly s3: S3Access | undefined;
  /** A new address with each call, which opens the dashboard once, within ten minutes. Undefined with `dashboard: "off"`. */
  dashboardLink(): string | undefined;
  /** Reads the files of `tls` now; otherwise they are read every 10 s. Never rejects: the log reports unusable files. */
  rereadCertificate(): Promise<void>;
  /** Rate limits of the live service that were exceeded since the start, also after `stop`. Empty with `limits: "off"`. */
  exceededLimits(): readonly ExceededLimit[];
  /** Stops everything: `drain` (the default) lets running jobs finish, `kill` does not. Idempotent; `kill` hastens a drain. */
  stop(how?: "drain" | "kill"): Promise<void>;
}
