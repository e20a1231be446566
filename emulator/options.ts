/** How the service is started as a library, and what is in the caller's hands once it runs. */
import type { DashboardMode } from "./core/access/dashboard-mode.ts";
import type { PriceTable } from "./core/billing/prices.ts";
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

/** A line a worker or its handler wrote. */
export interface WorkerLine {
  readonly workerId: string;
  readonly endpointId: string;
  readonly line: string;
}

/** Options of `startEmulator`. An error of a function among them is logged once with its stack, and harms nothing else. */
export interface EmulatorOptions {
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on; default 7080, 0 for any free one. */
  readonly port?: number;
  /**
   * PEM files of a certificate, with those of its authorities behind it, and of its private key without a passphrase: the port
   * takes HTTPS only then, and `workerPort` has the same certificate. They are read again when they change. The port of the object
   * store stays as it is.
   */
  readonly tls?: { readonly cert: string; readonly key: string };
  /**
   * A port for workers from elsewhere, which speak the worker protocol over TLS with a key of the scope `workers`; 0 for any free
   * one. By default there is none. Without `tls` a certificate is made at the first start and kept with the records.
   */
  readonly workerPort?: number;
  /**
   * Where those workers are told to connect, as `host:port`; by default at the port, and the host of `advertise`, or `host`, or the
   * name of this machine where that is all addresses.
   */
  readonly workerAddress?: string;
  /**
   * Further names that requests may call the service by in their Host header, without ports: `emulator.example.com`,
   * `*.example.com` for all names below that one, or `*` for any, which lets every page that a browser here shows call it
   * (DNS rebinding). It is always called by loopback names and addresses, all names below `localhost`, `host` (all addresses
   * where that is 0.0.0.0 or ::, and the machine's name where it is no loopback address), the address a connection came to,
   * and what containers call their machine.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Origins other than its own whose pages may call the service from a browser, like `http://localhost:3000`; `*` for any.
   * By default requests with another Origin header are refused.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Proxies whose `X-Forwarded-For`, `-Proto` and `-Host` headers count: addresses, ranges like `10.0.0.0/8`, `loopback`, or
   * `private`. By default nobody's do.
   */
  readonly trustProxy?: readonly string[];
  /**
   * The object store that S3 clients can use, workers among them: false for none, by default there is one, unless there are
   * `endpoints` and no `handlers`, `commands` or `images`. Its port is by default the one above `port`, or any free one where that
   * is taken or `port` is 0.
   */
  readonly s3?: false | { readonly port?: number };
  /** Directory that keeps everything over restarts; without it everything is kept in memory, objects in a temporary directory, and lost at the end. */
  readonly dataDir?: string;
  /**
   * A PostgreSQL database that keeps jobs and all records in the place of the data directory:
   * `postgres://user:password@host:port/database`. What is of this machine stays in the data directory: the objects of its
   * object store, and volumes. It needs a `secretKey`.
   */
  readonly store?: string;
  /**
   * A bucket of an S3 service for payloads above 256 kB, beside `store`: `s3://bucket/prefix?endpoint=…&region=…`, with
   * `accessKeyId` and `secretAccessKey` as further parameters. What is left out is taken from `AWS_ENDPOINT_URL`, `AWS_REGION`,
   * `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`. By default the database has all payloads.
   */
  readonly objects?: string;
  /**
   * The URL at which other emulators reach this one, like `http://10.0.0.7:8888`. Given, it shares the database of `store` with
   * all others that have one: each does the work of some of the endpoints, and any of them takes any request. By default it has
   * the database for itself.
   */
  readonly advertise?: string;
  /** Whether `advertise` may be plain HTTP to another machine, which everybody on the way can read; by default it may not. */
  readonly insecureReplicas?: boolean;
  /** The user's API key; by default one is generated at the first start of a data directory. */
  readonly apiKey?: string;
  /** A key of its own for the emulator's operations under `/emulator`; by default the user's key opens them too. */
  readonly adminKey?: string;
  /**
   * The key that secrets are stored encrypted with: 32 bytes in base64. By default the first start makes it, and it is kept in the file `secret.key` of the data directory. With a `store` there must be one.
   */
  readonly secretKey?: string;
  /**
   * What webhook calls are signed with: `whsec_` and the base64 of 24 to 64 bytes. By default one is made at the first
   * start and kept; one that is given is good for this start.
   */
  readonly webhookSecret?: string;
  /**
   * Whether webhooks may lead to private, loopback and link-local addresses; by default only if `host` is a loopback
   * address itself.
   */
  readonly localWebhooks?: boolean;
  /** Handler modules to serve, each as an endpoint, by worker processes. */
  readonly handlers?: readonly LocalHandler[];
  /** Endpoints to serve whose workers are processes of any program that speaks the live protocol. */
  readonly commands?: readonly CommandEndpoint[];
  /** Endpoints of container images to serve. */
  readonly images?: readonly ImageEndpoint[];
  /** Network volumes, registry auths and templates that endpoints share; made at the start, kept as endpoints are. */
  readonly resources?: Partial<ServedResources>;
  /** Endpoints by id whose handlers are functions of this process and run in it: for tests. */
  readonly endpoints?: Readonly<Record<string, FunctionEndpoint>>;
  /**
   * How service time goes: with the machine's (`system`, the default), or not at all but by `clock.advance` (`manual`), so
   * that nothing becomes due by itself. Handlers that run keep real time in either case.
   */
  readonly clock?: "system" | "manual";
  /**
   * Whether handler files are watched, so that new jobs run what was saved; default: not. Given a search, handlers that
   * come and go are noticed as well.
   */
  readonly watch?: boolean | HandlerSearch;
  /**
   * The GPUs of workers of GPU endpoints: `auto` (the default) asks nvidia-smi, `none` is a machine without any, and names
   * with numbers like `NVIDIA L4=2,NVIDIA H200=1`, or a list, declare some; where the machine has none of a type they are
   * simulated. With `simulate` all are, as many of any type as are asked for.
   */
  readonly gpus?: GpuSetting;
  /**
   * Whether workers of templates with an image run as containers: `auto` (the default) uses the Docker engine that
   * `DOCKER_HOST` names, asked when the first such worker is wanted; with `off` there are none.
   */
  readonly docker?: "auto" | "off";
  /**
   * A namespace of a Kubernetes cluster in which workers of templates with an image run as pods, in the place of containers. Which
   * cluster, the current context of the kubeconfig says (`KUBECONFIG`), or the service account of the pod that the service runs in.
   */
  readonly kubernetes?: string;
  /**
   * How long a worker may say nothing before it is taken for lost, ended and replaced, ms; default 15,000, at least
   * 1,000. It is told to speak three times as often.
   */
  readonly leaseMs?: number;
  /** What things cost on the bills; default `DEFAULT_PRICES`, round figures that are nobody's price list. */
  readonly prices?: PriceTable;
  /**
   * What becomes of requests over the rate limits of production: refused with 429 (`enforce`, the default), let through
   * with a header and a line in the log (`warn`), or not even counted (`off`). All other limits stay as they are.
   */
  readonly limits?: LimitMode;
  /** The dashboard at `/`: `on` (the default), `read-only` for looking only, `off` for none. */
  readonly dashboard?: DashboardMode;
  /**
   * Whether traces are sent by OTLP over HTTP, as OpenTelemetry's variables of this process say (`OTEL_…`); by default if
   * `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` names a collector.
   */
  readonly traces?: boolean;
  /** Where the service says what it does; by default nowhere. */
  readonly log?: EngineLog;
  /** Called with each line a worker writes. */
  readonly workerLine?: (line: WorkerLine) => void;
  /** Called with each attempt of a job as it ends, and with each job that ends without one; reads nothing from the store. */
  readonly attemptEnded?: (end: AttemptEnd) => void;
  /** Called with what the handler of an endpoint takes and gives, each time one of its workers has told it; empty for no schemas. */
  readonly handlerTold?: HandlerTold;
  /** Called once if another emulator took over the `store`: this one stores nothing more, refuses all, and should be stopped. */
  readonly storeLost?: (error: Error) => void;
  /** Called with each job as it ends. */
  readonly jobEnded?: (job: JobRecord) => void;
}

export interface Emulator extends TestKit, AsyncDisposable {
  /** For example `http://127.0.0.1:7080`, or with `https`. */
  readonly url: string;
  /** Where workers from elsewhere connect, as `tls://host:port`; undefined without `workerPort`. */
  readonly workerAddress: string | undefined;
  /** The user's API key, if it was given or generated in this start. */
  readonly apiKey: string | undefined;
  /** What webhook calls are signed with; for those who verify them. */
  readonly webhookSecret: string;
  readonly endpointIds: readonly string[];
  /** Where the object store is and the keys for it; undefined if there is none. */
  readonly s3: S3Access | undefined;
  /** An address that opens the dashboard once, within ten minutes; a new one with each call. Undefined with `dashboard: "off"`. */
  dashboardLink(): string | undefined;
  /** Reads the files of `tls` at once, which is done every 10 s anyway. Never rejects: the log says what cannot be used. */
  rereadCertificate(): Promise<void>;
  /** What was over the rate limits since the start, also after `stop`: what fails in production. Empty with `limits: "off"`. */
  exceededLimits(): readonly ExceededLimit[];
  /** Stops everything: `drain` (the default) lets running jobs finish, `kill` does not. Idempotent; `kill` hastens a drain. */
  stop(how?: "drain" | "kill"): Promise<void>;
}
