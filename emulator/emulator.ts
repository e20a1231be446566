/** Composition root of the service: makes the parts, connects them, and takes them down in the right order. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearLeftovers } from "../runtime/leftovers/clear-leftovers.ts";
import { ownedName } from "../runtime/leftovers/owner.ts";
import { readAdvanceMs } from "./core/advance-input.ts";
import type { Containers } from "./containers.ts";
import { httpHealthProbe } from "./balance/http-health-probe.ts";
import type { Random } from "./core/clock.ts";
import type { GpuInventory } from "./core/gpu-allocation.ts";
import { KeyRing } from "./core/key-ring.ts";
import { DEFAULT_LEASE_TERMS, type LeaseTerms, termsOfLease } from "./core/lease-terms.ts";
import { advanceClock } from "./engine/advance-clock.ts";
import type { EngineContext, EngineLog } from "./engine/context.ts";
import { createEngine, type RunningEngine } from "./engine/engine.ts";
import { registryCredentials } from "./engine/registry-credentials.ts";
import { type GivenKeys, settleKeys } from "./engine/service-keys.ts";
import { WorkerSession } from "./engine/worker-session.ts";
import { WorkerServer } from "./grpc/worker-server.ts";
import { HandlerFiles } from "./handler-files.ts";
import { RateGate } from "./http/rate-gate.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "./http/server.ts";
import { gpuFinder } from "./launch/find-gpus.ts";
import type { WorkerOrder } from "./launch/launcher.ts";
import { createLaunchers, type Launchers, type LaunchersOptions } from "./launchers.ts";
import { servedEndpoints } from "./local-endpoint.ts";
import { ObjectService } from "./objects/object-service.ts";
import type { Emulator, EmulatorClock, EmulatorOptions } from "./options.ts";
import { chooseSecretKey } from "./secrets/choose-secret-key.ts";
import { createMemoryStore } from "./store/memory/memory-store.ts";
import { prepareWebhooks } from "./prepare-webhooks.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import type { Store } from "./store/store.ts";
import { createSystemClock, createSystemRandom } from "./system-clock.ts";
import type { WebhookSender } from "./webhook/webhook-sender.ts";
import { Volumes } from "./volumes.ts";

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7080;

/** Where the object store answers beside its own port: for those who can reach this one only. */
const S3_PATH = "/s3";

const LAST_PORT = 65_535;

/** Begins the name of the directory in which the workers' socket lies, too; short, for the path of a socket has to be. */
const TEMPORARY_DIR_KIND = "sv-e";

const SILENT: EngineLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * Starts the service; resolves when it can be called.
 *
 * @throws StoreInUseError, StoreUnusableError for the data directory; PortInUseError and others for the address;
 *   VolumeUnusableError for the `volume` of a handler; NameTakenError for `resources`; RangeError for a `leaseMs`, `gpus`, `secretKey` or `webhookSecret`
 *   that makes no sense
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { leaseMs } = options;
  const lease = leaseMs === undefined ? DEFAULT_LEASE_TERMS : termsOfLease(leaseMs);
  const findGpus = gpuFinder(options.gpus);
  const log = options.log ?? SILENT;
  const store =
    options.dataDir === undefined
      ? createMemoryStore()
      : await openSqliteStore({ directory: options.dataDir });
  const parts: Parts = {
    log,
    store,
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
  readonly lease: LeaseTerms;
  readonly findGpus: () => Promise<GpuInventory>;
  readonly store: Store;
  /** For what lasts no longer than this run: the worker port's socket, and objects if there is no data directory. */
  readonly temporaryDir: string;
  /** Settles when what killed services left is gone. */
  readonly leftoversCleared: Promise<void>;
  objects?: ObjectService;
  webhookSender?: WebhookSender;
  containers?: Containers;
  engine?: RunningEngine;
  workerServer?: WorkerServer;
  limits?: RateGate;
  http?: HttpServer;
}

async function compose(options: EmulatorOptions, parts: Parts): Promise<Emulator> {
  const { log, store, lease } = parts;
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, handlers = [] } = options;
  const random = createSystemRandom();
  const clock = createSystemClock();
  const handlerFiles = new HandlerFiles(handlers, log);
  const storage = await startStorage(options, parts, random);
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
  const engine = await createEngine({
    store,
    clock,
    random,
    secretKey: chooseSecretKey(options, random),
    log,
    lease,
    launchers: [launchers.processes, launchers.containers],
    healthProbe: httpHealthProbe,
    findGpus: parts.findGpus,
    webhookSender: webhooks.sender,
    ...(options.prices && { prices: options.prices }),
    endpointDeleted: (endpointId) => void parts.objects?.endpointDeleted(endpointId),
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
  await engine.serve(servedEndpoints(options, startedAt), options.resources);
  await handlerFiles.ready;
  engine.start();
  void launchers.containers.clearLeftovers(engine.context.directory.templates());
  const url = await http.start({ host, port });
  const secrets = { apiKey: keys.userKey, webhookSecret: webhooks.secret };
  return running(url, secrets, options, parts, http, clockOf(engine.context));
}

type LaunchersParts = Omit<LaunchersOptions, "emulator" | "directory" | "workerSocket" | "log">;

function startLaunchers(
  emulator: EmulatorOptions,
  parts: Parts,
  options: LaunchersParts,
): Launchers {
  const launchers = createLaunchers({
    emulator,
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

interface Storage {
  readonly objects: ObjectService | undefined;
  readonly volumes: Volumes;
  /** Never throws. */
  readonly workerEnv: (worker: WorkerOrder) => Readonly<Record<string, string>>;
}

/** Before the workers, which are told where to find it. */
async function startStorage(
  { host = DEFAULT_HOST, port = DEFAULT_PORT, s3 = {}, handlers = [], ...rest }: EmulatorOptions,
  parts: Parts,
  random: Random,
): Promise<Storage> {
  const { log, store } = parts;
  const dataDir = rest.dataDir ?? parts.temporaryDir;
  // Clients date their signatures by the wall clock, which service time leaves when the machine sleeps.
  const now = Date.now;
  const objects =
    s3 === false
      ? undefined
      : new ObjectService({ directory: join(dataDir, "objects"), random, now, log });
  if (objects !== undefined) parts.objects = objects;
  const volumes = new Volumes({ directory: join(dataDir, "volumes"), buckets: objects, log });
  // Before the store can be called: a client that finds no bucket makes one.
  const known = await store.read((view) => view.records("networkVolume"));
  await volumes.open(known.map(({ id }) => id));
  await volumes.openLocal([...handlers, ...(rest.images ?? [])]);
  if (s3 !== false) {
    const next = port === 0 || port === LAST_PORT ? 0 : port + 1;
    await objects?.start({ host, port: s3.port ?? next, mayMove: s3.port === undefined });
  }
  return {
    objects,
    volumes,
    workerEnv: ({ endpoint, template }) => ({
      ...objects?.workerEnv(endpoint.id, template.env),
      ...volumes.workerEnv(endpoint),
    }),
  };
}

function running(
  url: string,
  secrets: Pick<Emulator, "apiKey" | "webhookSecret">,
  { handlers = [], images = [] }: EmulatorOptions,
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
    endpointIds: [...handlers, ...images].map(({ id }) => id),
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
  await parts.store.close();
  await parts.leftoversCleared;
  await rm(parts.temporaryDir, { recursive: true, force: true });
}
