/** Composition root of the service: makes the parts, connects them, and takes them down in the right order. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearLeftovers } from "../runtime/leftovers/clear-leftovers.ts";
import { ownedName } from "../runtime/leftovers/owner.ts";
import { callerCheck } from "./assembly/callers.ts";
import type { Containers } from "./assembly/containers.ts";
import { httpHealthProbe } from "./balance/http-health-probe.ts";
import type { Clock, Random } from "./core/time/clock.ts";
import { KeyRing } from "./core/access/key-ring.ts";
import { DEFAULT_LEASE_TERMS, type LeaseTerms, termsOfLease } from "./core/jobs/lease-terms.ts";
import type { EngineLog } from "./engine/observe/engine-log.ts";
import { createEngine, type EngineOptions, type RunningEngine } from "./engine/engine.ts";
import { registryCredentials } from "./engine/resources/registry-credentials.ts";
import { settleKeys } from "./engine/access/service-keys.ts";
import { LiveWorkers } from "./live/live-workers.ts";
import { HandlerFiles } from "./handlers/handler-files.ts";
import type { CallerCheck } from "./http/access/caller-check.ts";
import { RateGate } from "./http/limits/rate-gate.ts";
import { createHttpServer, type HttpServer, type HttpServerOptions } from "./http/server.ts";
import { startReloader } from "./assembly/hot-reload.ts";
import { deviceLocks } from "./launch/gpus/socket-lock.ts";
import { gpuFinder } from "./launch/gpus/find-gpus.ts";
import { createLaunchers, type Launchers, type LaunchersOptions } from "./assembly/launchers.ts";
import { inProcessLauncher, openLocalSession } from "./assembly/in-process.ts";
import { localEndpoints, servedEndpoints } from "./handlers/local-endpoint.ts";
import type { ObjectService } from "./objects/object-service.ts";
import type { Emulator, EmulatorOptions } from "./options.ts";
import type { Reloader } from "./reload/reloader.ts";
import { chooseSecretKey } from "./secrets/choose-secret-key.ts";
import { type Observation, openObservation } from "./assembly/observation.ts";
import { openStore } from "./assembly/open-store.ts";
import { prepareWebhooks } from "./assembly/webhooks.ts";
import { type Storage, startStorage } from "./assembly/object-storage.ts";
import type { Store } from "./store/store.ts";
import {
  createStandingClock,
  createSystemClock,
  createSystemRandom,
} from "./assembly/system-clock.ts";
import { JobLines } from "./test-kit/job-lines.ts";
import { openTestKit, type RunningTestKit } from "./test-kit/test-kit.ts";
import type { WebhookSender } from "./webhooks/webhook-sender.ts";
import { liveTermsOf, WorkerPorts, workerSocketIn } from "./assembly/worker-ports.ts";

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7080;

/** Where the object store answers beside its own port: for those who can reach this one only. */
const S3_PATH = "/s3";

/** Begins the name of the directory in which the workers' socket lies, too; short, for the path of a socket has to be. */
const TEMPORARY_DIR_KIND = "sv-e";

/**
 * Starts the service; resolves when it can be called.
 *
 * @throws StoreInUseError, StoreUnusableError for the data directory; PortInUseError and others for the address;
 *   VolumeUnusableError for the `volume` of a handler; InitError for a `handler` of `endpoints` that is none; NameTakenError
 *   for `resources`; RangeError for two endpoints with one id, or a `leaseMs`, `gpus`, `secretKey`,
 *   `webhookSecret`, `allowedHosts` or `allowedOrigins` without sense
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { leaseMs } = options;
  const callers = callerCheck(options.host ?? DEFAULT_HOST, options);
  const lease = leaseMs === undefined ? DEFAULT_LEASE_TERMS : termsOfLease(leaseMs);
  const findGpus = gpuFinder(options.gpus);
  const observation = await openObservation(options);
  const clock = createSystemClock();
  const store = await openStore(options, clock, observation);
  const parts: Parts = {
    clock,
    log: observation.log,
    callers,
    observation,
    store,
    lease,
    gpus: { findGpus, lockDevice: deviceLocks(observation.log) },
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
  readonly clock: Clock;
  readonly log: EngineLog;
  readonly callers: CallerCheck;
  readonly observation: Observation;
  readonly lease: LeaseTerms;
  readonly gpus: Pick<EngineOptions, "findGpus" | "lockDevice">;
  readonly store: Store;
  /** For what lasts no longer than this run: the worker port's socket, and objects if there is no data directory. */
  readonly temporaryDir: string;
  /** Settles when what killed services left is gone. */
  readonly leftoversCleared: Promise<void>;
  objects?: ObjectService;
  webhookSender?: WebhookSender;
  containers?: Containers;
  engine?: RunningEngine;
  workerPorts?: WorkerPorts;
  limits?: RateGate;
  http?: HttpServer;
  testKit?: RunningTestKit;
  reloader?: Reloader | undefined;
}

async function compose(options: EmulatorOptions, parts: Parts): Promise<Emulator> {
  const { log, store, clock } = parts;
  const { host = DEFAULT_HOST, port = DEFAULT_PORT, handlers = [], commands = [] } = options;
  const local = localEndpoints(options);
  const random = createSystemRandom();
  const handlerFiles = new HandlerFiles(log, (options.watch ?? false) !== false);
  const handlersReady = Promise.all(handlers.map((handler) => handlerFiles.add(handler)));
  const storage = await startStorage({
    ...{ log, store, random, emulator: options, host, port, endpoints: local },
    directory: options.dataDir ?? parts.temporaryDir,
    callers: (request) => parts.callers.look(request),
    known: () => parts.engine?.context.directory,
    opened: (objects) => (parts.objects = objects),
  });
  const lines = new JobLines();
  const startedAt = new Date(clock.now()).toISOString();
  const given = { user: options.apiKey, admin: options.adminKey };
  const webhooks = await prepareWebhooks(options, host, store, random);
  parts.webhookSender = webhooks.sender;
  const engine = await openEngine(options, parts, { clock, random, storage, handlerFiles, lines });
  const { startWork } = engine;
  const keys = await settleKeys({ store, random, startWork }, given, startedAt);
  const access = { keys: new KeyRing(keys.records), webhookSecret: webhooks.secret };
  const http = httpPort(options, engine, access, parts);
  parts.workerPorts = new WorkerPorts({ engine, http, log, temporaryDir: parts.temporaryDir });
  await parts.workerPorts.start(commands.length > 0);
  await startWork.do(() => engine.serve(servedEndpoints(local, startedAt), options.resources));
  await handlersReady;
  await storage.listen();
  // Before workers start: another program may have the port.
  const url = await http.start({ host, port });
  await startWork.do(async () => {
    engine.start();
    void parts.containers?.clearLeftovers(engine.context.directory.templates());
    const watched = { ...parts, engine, clock, handlerFiles, volumes: storage.volumes };
    parts.reloader = startReloader(options, watched);
  });
  const { context } = engine;
  const testKit = openTestKit({ engine: context, url, apiKey: keys.userKey, lines }, options);
  parts.testKit = testKit;
  const endpointIds = local.map(({ id }) => id);
  const secrets = { apiKey: keys.userKey, webhookSecret: webhooks.secret };
  return running({ url, ...secrets, endpointIds, ...testKit.kit }, parts, http);
}

interface EngineParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly storage: Storage;
  readonly handlerFiles: HandlerFiles;
  readonly lines: JobLines;
}

async function openEngine(
  options: EmulatorOptions,
  parts: Parts,
  { clock, random, storage, handlerFiles, lines }: EngineParts,
): Promise<RunningEngine> {
  const { store, lease, webhookSender, observation } = parts;
  if (webhookSender === undefined) throw new Error("webhooks are prepared before the engine");
  const functions = await inProcessLauncher(options, {
    tempRoot: parts.temporaryDir,
    workerEnv: storage.workerEnv,
    jobLine: (jobId, line) => lines.keep(jobId, line),
    openSession: (token, line) => openLocalSession(engine, token, line),
  });
  const launchers = startLaunchers(options, parts, {
    clock,
    handlerFiles,
    ...storage,
    credentialsOf: async ({ containerRegistryAuthId: id = "" }) =>
      id === "" ? undefined : registryCredentials(engine.context, id),
    willing: () => engine.considerAll(),
  });
  const engine = await createEngine({
    store,
    clock,
    ...(options.clock === "manual" && { serviceClock: createStandingClock(clock.now()) }),
    random,
    secretKey: chooseSecretKey(options, random),
    ...observation,
    lease,
    launchers: [...functions, ...launchers.all],
    podLauncher: launchers.containers,
    healthProbe: httpHealthProbe,
    ...parts.gpus,
    webhookSender,
    ...(options.prices && { prices: options.prices }),
    endpointDeleted: (endpointId) => void parts.objects?.endpointDeleted(endpointId),
    volumeFiles: storage.volumes,
  });
  parts.engine = engine;
  return engine;
}

type LaunchersParts = Pick<
  LaunchersOptions,
  "clock" | "handlerFiles" | "objects" | "volumes" | "workerEnv" | "credentialsOf" | "willing"
>;

function startLaunchers(
  emulator: EmulatorOptions,
  parts: Parts,
  options: LaunchersParts,
): Launchers {
  const workerPorts = () => {
    if (parts.workerPorts === undefined) throw new Error("workers are started after their ports");
    return parts.workerPorts;
  };
  const { log, lease, temporaryDir, observation } = parts;
  const { port = DEFAULT_PORT } = emulator;
  const launchers = createLaunchers({
    emulator: { ...emulator, workerLine: observation.workerLine },
    directory: emulator.dataDir ?? temporaryDir,
    temporaryDir,
    workerSocket: workerSocketIn(temporaryDir),
    liveTerms: liveTermsOf(lease),
    liveUrl: () => workerPorts().liveUrl,
    serveLiveAt: async (address) => workerPorts().serveLiveAt(address, port),
    log,
    ...options,
  });
  parts.containers = launchers.containers;
  return launchers;
}

function httpPort(
  { limits = "enforce" }: EmulatorOptions,
  { context, workers }: RunningEngine,
  secrets: Pick<HttpServerOptions, "keys" | "webhookSecret">,
  parts: Parts,
): HttpServer {
  const { log, callers, objects } = parts;
  if (limits !== "off") parts.limits = new RateGate(context, limits);
  parts.http = createHttpServer({
    engine: context,
    callers,
    ...secrets,
    log,
    limits: parts.limits,
    liveWorkers: new LiveWorkers(context, (token) => workers.authenticate(token)),
    ...(objects && { mount: { path: S3_PATH, listener: objects.listener(S3_PATH) } }),
  });
  return parts.http;
}

function running(
  facts: Omit<Emulator, "s3" | "exceededLimits" | "stop" | typeof Symbol.asyncDispose>,
  parts: Parts,
  http: HttpServer,
): Emulator {
  let stopped: Promise<void> | undefined;
  const stop = async (how: "drain" | "kill" = "drain") => {
    parts.containers?.beginStop();
    if (how === "kill") {
      parts.engine?.killAll();
      parts.engine?.webhooks.abort();
    }
    stopped ??= Promise.all([http.stop(), parts.reloader?.close(), parts.engine?.stop(how)]).then(
      () => takeDown(parts, how),
    );
    return stopped;
  };
  return {
    ...facts,
    s3: parts.objects?.access,
    exceededLimits: () => parts.limits?.exceededLimits() ?? [],
    stop,
    [Symbol.asyncDispose]: () => stop("kill"),
  };
}

async function takeDown(parts: Parts, how: "drain" | "kill"): Promise<void> {
  await parts.engine?.stop(how);
  await parts.testKit?.close();
  await parts.containers?.close();
  await parts.webhookSender?.close();
  await parts.workerPorts?.stop();
  // Workers that drained were still uploading.
  await parts.objects?.stop();
  await parts.observation.tracer?.close();
  await parts.store.close();
  await parts.leftoversCleared;
  await rm(parts.temporaryDir, { recursive: true, force: true });
}
