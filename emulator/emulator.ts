/** Composition root of the service: makes the parts, connects them, and takes them down in the right order. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearLeftovers } from "../runtime/leftovers/clear-leftovers.ts";
import { ownedName } from "../runtime/leftovers/owner.ts";
import { readAdvanceMs } from "./core/advance-input.ts";
import type { Containers } from "./containers.ts";
import { httpHealthProbe } from "./balance/http-health-probe.ts";
import type { GpuInventory } from "./core/gpu-allocation.ts";
import type { Random } from "./core/clock.ts";
import { KeyRing } from "./core/key-ring.ts";
import { ServiceMetrics } from "./core/metrics/service-metrics.ts";
import { DEFAULT_LEASE_TERMS, type LeaseTerms, termsOfLease } from "./core/lease-terms.ts";
import { advanceClock } from "./engine/advance-clock.ts";
import type { EngineContext, EngineLog } from "./engine/context.ts";
import { createEngine, type RunningEngine } from "./engine/engine.ts";
import { LogFeed } from "./engine/log-feed.ts";
import { registryCredentials } from "./engine/registry-credentials.ts";
import { type GivenKeys, settleKeys } from "./engine/service-keys.ts";
import { WorkerSession } from "./engine/worker-session.ts";
import { WorkerServer } from "./grpc/worker-server.ts";
import { HandlerFiles } from "./handler-files.ts";
import { RateGate } from "./http/rate-gate.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "./http/server.ts";
import { gpuFinder } from "./launch/find-gpus.ts";
import { createLaunchers, type Launchers, type LaunchersOptions } from "./launchers.ts";
import { type LocalHandler, servedEndpoint } from "./local-endpoint.ts";
import type { ObjectService } from "./objects/object-service.ts";
import type { Emulator, EmulatorClock, EmulatorOptions, WorkerLine } from "./options.ts";
import { chooseSecretKey } from "./secrets/choose-secret-key.ts";
import { createMemoryStore } from "./store/memory/memory-store.ts";
import { prepareWebhooks } from "./prepare-webhooks.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import type { Store } from "./store/store.ts";
import { startStorage, type Storage } from "./start-storage.ts";
import { createSystemClock, createSystemRandom } from "./system-clock.ts";
import { openTracer } from "./trace/open-tracer.ts";
import type { Tracer } from "./trace/tracer.ts";
import type { WebhookSender } from "./webhook/webhook-sender.ts";

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7080;

/** Where the object store answers beside its own port: for those who can reach this one only. */
const S3_PATH = "/s3";

/** Begins the name of the directory in which the workers' socket lies, too; short, for the path of a socket has to be. */
const TEMPORARY_DIR_KIND = "sv-e";

const SILENT: EngineLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Starts the service; resolves when it can be called.
 *
 * @throws StoreInUseError, StoreUnusableError for the data directory; PortInUseError and others for the address;
 *   VolumeUnusableError for the `volume` of a handler; RangeError for a `leaseMs`, `gpus`, `secretKey` or `webhookSecret`
 *   that makes no sense
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { leaseMs } = options;
  const lease = leaseMs === undefined ? DEFAULT_LEASE_TERMS : termsOfLease(leaseMs);
  const findGpus = gpuFinder(options.gpus);
  const logs = new LogFeed(Date.now);
  const log = logs.alongside(options.log ?? SILENT);
  const metrics = new ServiceMetrics();
  const store =
    options.dataDir === undefined
      ? createMemoryStore()
      : await openSqliteStore({
          directory: options.dataDir,
          onCommit: (steps, durationMs) => metrics.committed(steps, durationMs),
        });
  const parts: Parts = {
    log,
    logs,
    store,
    metrics,
    lease,
    findGpus,
    temporaryDir: await mkdtemp(join(tmpdir(), `${ownedName(TEMPORARY_DIR_KIND)}-`)),
    leftoversCleared: clearLeftovers(tmpdir(), TEMPORARY_DIR_KIND),
  };
  try {
    return await compose(options, parts);
  } catch (error) {
    await parts.http?.stop();
    await takeDown(parts, "kill");
    throw error;
  }
}

/** What has been made so far, so that it can be taken down again. */
interface Parts {
  readonly log: EngineLog;
  readonly logs: LogFeed;
  readonly lease: LeaseTerms;
  readonly findGpus: () => Promise<GpuInventory>;
  readonly store: Store;
  readonly metrics: ServiceMetrics;
  /** For what lasts no longer than this run: the worker port's socket, and objects if there is no data directory. */
  readonly temporaryDir: string;
  /** Settles when what killed services left is gone. */
  readonly leftoversCleared: Promise<void>;
  objects?: ObjectService;
  webhookSender?: WebhookSender;
  tracer?: Tracer | undefined;
  containers?: Containers;
  engine?: RunningEngine;
  workerServer?: WorkerServer;
  limits?: RateGate;
  http?: HttpServer;
}

async function compose(options: EmulatorOptions, parts: Parts): Promise<Emulator> {
  const { log, store } = parts;
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, handlers = [] } = options;
  const random = createSystemRandom();
  const clock = createSystemClock();
  const handlerFiles = new HandlerFiles(handlers, log);
  const storage = await openStorage(options, parts, random);
  const launchers = startLaunchers(options, parts, {
    handlerFiles,
    ...storage,
    credentialsOf: async ({ containerRegistryAuthId: id = "" }) =>
      id === "" ? undefined : registryCredentials(engine.context, id),
    willing: () => engine.workers.considerAll(),
  });
  const startedAt = new Date(clock.now()).toISOString();
  const keys = await settleKeys(store, random, keysGiven(options), startedAt);
  const webhooks = await prepareWebhooks(options, host, store, random);
  parts.webhookSender = webhooks.sender;
  parts.tracer = await openTracer(options.traces, log);
  const engine = await createEngine({
    ...engineParts(options, parts),
    clock,
    random,
    secretKey: chooseSecretKey(options, random),
    launchers: [launchers.processes, launchers.containers],
    webhookSender: webhooks.sender,
    volumeFiles: storage.volumes,
  });
  parts.engine = engine;
  const workerServer = workerPort(engine, parts);
  const http = httpPort(
    options,
    engine,
    { keys: new KeyRing(keys.records), webhookSecret: webhooks.secret },
    parts,
  );
  await workerServer.start();
  await engine.serve(handlers.map((handler) => servedEndpoint(handler, startedAt)));
  await handlerFiles.ready;
  engine.start();
  void launchers.containers.clearLeftovers(engine.context.directory.templates());
  const url = await http.start({ host, port });
  const secrets = { apiKey: keys.userKey, webhookSecret: webhooks.secret };
  return running(url, secrets, handlers, parts, http, clockOf(engine.context));
}

function openStorage(options: EmulatorOptions, parts: Parts, random: Random): Promise<Storage> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, dataDir = parts.temporaryDir } = options;
  const { store, log } = parts;
  const opened = (objects: ObjectService) => void (parts.objects = objects);
  return startStorage({
    emulator: options,
    host,
    port,
    directory: dataDir,
    store,
    random,
    log,
    opened,
  });
}

/** What was made of the service, or is the same whatever it is made of. */
function engineParts({ prices }: EmulatorOptions, parts: Parts) {
  const { store, log, logs, metrics, tracer, lease, findGpus } = parts;
  return {
    ...{ store, log, logs, metrics, tracer, lease, findGpus },
    healthProbe: httpHealthProbe,
    ...(prices && { prices }),
    endpointDeleted: (endpointId: string) => void parts.objects?.endpointDeleted(endpointId),
  };
}

type LaunchersParts = Omit<LaunchersOptions, "emulator" | "directory" | "workerSocket" | "log">;

function startLaunchers(
  emulator: EmulatorOptions,
  parts: Parts,
  options: LaunchersParts,
): Launchers {
  const workerLine = (line: WorkerLine) => {
    parts.logs.workerLine(line);
    emulator.workerLine?.(line);
  };
  const launchers = createLaunchers({
    emulator: { ...emulator, workerLine },
    directory: emulator.dataDir ?? parts.temporaryDir,
    workerSocket: workerSocketIn(parts),
    log: parts.log,
    ...options,
  });
  parts.containers = launchers.containers;
  return launchers;
}

function workerSocketIn({ temporaryDir }: Parts): string {
  return join(temporaryDir, "worker.sock");
}

function keysGiven({ apiKey, adminKey }: EmulatorOptions): GivenKeys {
  return { user: apiKey, admin: adminKey };
}

function httpPort(
  { limits = "enforce" }: EmulatorOptions,
  { context }: RunningEngine,
  secrets: Pick<HttpServerOptions, "keys" | "webhookSecret">,
  parts: Parts,
): HttpServer {
  const { log, objects } = parts;
  if (limits !== "off") parts.limits = new RateGate(context, limits);
  parts.http = createHttpServer({
    engine: context,
    ...secrets,
    log,
    limits: parts.limits,
    ...(objects && { mount: { path: S3_PATH, listener: objects.listener(S3_PATH) } }),
  });
  return parts.http;
}

function workerPort(engine: RunningEngine, parts: Parts): WorkerServer {
  parts.workerServer = new WorkerServer({
    address: `unix:${workerSocketIn(parts)}`,
    log: parts.log,
    authenticate: (token) => engine.workers.authenticate(token),
    openSession: (worker, send) => new WorkerSession(engine.context, worker, send),
  });
  return parts.workerServer;
}

function running(
  url: string,
  secrets: Pick<Emulator, "apiKey" | "webhookSecret">,
  handlers: readonly LocalHandler[],
  parts: Parts,
  http: HttpServer,
  clock: EmulatorClock,
): Emulator {
  let stopped: Promise<void> | undefined;
  const stop = async (how: "drain" | "kill" = "drain") => {
    if (how === "kill") {
      parts.engine?.workers.killAll();
      parts.engine?.webhooks.abort();
    }
    stopped ??= Promise.all([http.stop(), parts.engine?.stop(how)]).then(() =>
      takeDown(parts, how),
    );
    return stopped;
  };
  return {
    url,
    ...secrets,
    endpointIds: handlers.map(({ id }) => id),
    s3: parts.objects?.access,
    clock,
    exceededLimits: () => parts.limits?.exceededLimits() ?? [],
    stop,
    [Symbol.asyncDispose]: () => stop("kill"),
  };
}

function clockOf(engine: EngineContext): EmulatorClock {
  const { signal } = new AbortController();
  return {
    now: () => engine.clock.now(),
    advance: async (by) => advanceClock(engine, readAdvanceMs({ advance: by }), signal),
  };
}

async function takeDown(parts: Parts, how: "drain" | "kill"): Promise<void> {
  await parts.engine?.stop(how);
  await parts.containers?.close();
  await parts.webhookSender?.close();
  await parts.workerServer?.stop();
  // Workers that drained were still uploading.
  await parts.objects?.stop();
  await parts.tracer?.close();
  await parts.store.close();
  await parts.leftoversCleared;
  await rm(parts.temporaryDir, { recursive: true, force: true });
}
