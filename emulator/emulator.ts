/** Composition root of the service: makes the parts in the order of their dependencies, and ends them in reverse. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearLeftovers } from "../runtime/leftovers/clear-leftovers.ts";
import { ownedName } from "../runtime/leftovers/owner.ts";
import { refuseWindows } from "../runtime/load/need-platform.ts";
import { guardCallbacks } from "./assembly/callbacks.ts";
import { callerCheck, DEFAULT_HOST } from "./assembly/callers.ts";
import { openCertificate } from "./assembly/certificate.ts";
import { checkWorkerAddress, settleElsewhere } from "./assembly/workers/elsewhere.ts";
import { createReloader } from "./assembly/hot-reload.ts";
import { inProcessLaunchers, openLocalSession } from "./assembly/workers/in-process-workers.ts";
import { createLaunchers } from "./assembly/workers/launchers.ts";
import { EmulatorLife, stopOf } from "./assembly/life.ts";
import { S3_PATH, startStorage } from "./assembly/object-storage.ts";
import { openObservation } from "./assembly/observation.ts";
import { openStore } from "./assembly/store/open-store.ts";
import { checkAddresses } from "./assembly/store/shared-store.ts";
import { keepTime, serviceClockOf } from "./assembly/service-clock.ts";
import { createSystemClock, createSystemRandom } from "./assembly/system-clock.ts";
import { prepareWebhooks } from "./assembly/webhooks.ts";
import { liveTermsOf, WorkerPorts } from "./assembly/workers/worker-ports.ts";
import { placeWorkerSocket, TEMPORARY_DIR_KIND } from "./assembly/workers/worker-socket.ts";
import { httpHealthProbe } from "./balance/http-health-probe.ts";
import { MOVE_ID, refuseUnfinishedMove } from "./core/unfinished-move.ts";
import { KeyRing } from "./core/access/key-ring.ts";
import { DEFAULT_LEASE_TERMS, termsOfLease } from "./core/jobs/lease-terms.ts";
import { keysNow, settleKeys } from "./engine/access/service-keys.ts";
import { createEngine } from "./engine/engine.ts";
import { openContext } from "./engine/parts/open-parts.ts";
import { checkSecretKey } from "./engine/resources/check-secret-key.ts";
import { Directory } from "./engine/resources/directory.ts";
import { registryCredentials } from "./engine/resources/registry-credentials.ts";
import { openSteps } from "./engine/steps/steps.ts";
import { sessionsOn } from "./engine/workers/session/worker-session.ts";
import { HandlerFiles } from "./handlers/handler-files.ts";
import { localEndpoints, servedEndpoints } from "./handlers/local-endpoint.ts";
import { RateLimiter } from "./http/operation/limits/rate-limiter.ts";
import { createHttpServer, type HttpServer } from "./http/server.ts";
import { containerMemoryInGb } from "./launch/container-settings.ts";
import { gpuFinder } from "./launch/gpus/find-gpus.ts";
import { gpuUseAsker, rememberedGpus } from "./launch/gpus/remembered-gpus.ts";
import { deviceLocks } from "./launch/gpus/socket-lock.ts";
import { LiveWorkers } from "./live/live-workers.ts";
import type { Emulator, EmulatorOptions } from "./options.ts";
import { chooseSecretKey } from "./secrets/choose-secret-key.ts";
import { holding } from "./test-kit/holding.ts";
import { JobLines } from "./test-kit/job-lines.ts";
import { openTestKit } from "./test-kit/test-kit.ts";

const DEFAULT_PORT = 7080;

/** Time for which a batch gathers further steps if no caller waits for it, ms: fewer batches cost less. */
const GATHER_MS = 1;

/**
 * Starts the service; resolves when it can be called.
 *
 * @throws CertificateError for `tls`; StoreInUseError, StoreUnusableError for the data directory, `store` or `objects`; PortInUseError and others for the address;
 *   VolumeUnusableError for the `volume` of a handler; InitError for an invalid `handler` of `endpoints`; NameTakenError for `resources`;
 *   RangeError for two endpoints with one id, or an invalid `leaseMs`, `gpus`, `secretKey`, `store`, `objects`, `webhookSecret` …
 */
export async function startEmulator(given: EmulatorOptions = {}): Promise<Emulator> {
  return holding(start(guardCallbacks(given)));
}

async function start(options: EmulatorOptions): Promise<Emulator> {
  const made = new AsyncDisposableStack();
  try {
    const ground = await openGround(options, made);
    const state = await openState(options, ground, made);
    const ports = await openPorts(options, state, made);
    const launchers = await openLaunchers(options, ports, made);
    return await run(options, await openEngine(options, launchers, made), made);
  } catch (error) {
    await made.disposeAsync();
    throw error;
  }
}

/** Checked options, and the base of everything else: time, chance, the log, the disk. */
async function openGround(options: EmulatorOptions, made: AsyncDisposableStack) {
  refuseWindows("the emulator");
  const { leaseMs, host = DEFAULT_HOST, port = DEFAULT_PORT } = options;
  checkAddresses(options);
  checkWorkerAddress(options);
  const random = createSystemRandom();
  const checked = {
    callers: callerCheck(host, options),
    lease: leaseMs === undefined ? DEFAULT_LEASE_TERMS : termsOfLease(leaseMs),
    findGpus: rememberedGpus(gpuFinder(options.gpus)),
    secretKey: chooseSecretKey(options, random),
  };
  const observation = await openObservation(options);
  made.defer(() => observation.tracer?.close());
  const clock = createSystemClock();
  // Also holds objects if there is no data directory.
  const temporaryDir = await mkdtemp(join(tmpdir(), `${ownedName(TEMPORARY_DIR_KIND)}-`));
  made.defer(() => rm(temporaryDir, { recursive: true, force: true }));
  const leftoversCleared = clearLeftovers(tmpdir(), TEMPORARY_DIR_KIND);
  made.defer(() => leftoversCleared);
  const workerSocket = await placeWorkerSocket(temporaryDir, made);
  const store = await openStore(options, clock, observation, made);
  const { ownership } = store;
  const { log } = observation;
  const steps = await openSteps(store, { log, clock, gatherMs: GATHER_MS, ownership });
  made.defer(() => steps.close());
  refuseUnfinishedMove(steps.records.find("unfinishedMove", MOVE_ID));
  const life = new EmulatorLife(options);
  const parts = { ...checked, host, port, observation, log, clock, random, life };
  return { ...parts, temporaryDir, workerSocket, store, steps, ownership };
}

type Ground = Awaited<ReturnType<typeof openGround>>;

/** The store and the parts of the engine that work with it; nothing runs yet. */
async function openState(options: EmulatorOptions, ground: Ground, made: AsyncDisposableStack) {
  const { store, steps, random, clock, host, observation, lease, log, secretKey } = ground;
  const { docker, handlers = [], watch = false } = options;
  const local = localEndpoints(options);
  const handlerFiles = new HandlerFiles(log, watch !== false);
  const handlersReady = Promise.all(handlers.map((handler) => handlerFiles.add(handler)));
  const directory = new Directory(steps.records);
  const storage = await startStorage(options, { ...ground, known: directory, local }, made);
  const open = await openContext({
    store,
    steps,
    directory,
    clock,
    serviceClock: serviceClockOf(options, ground),
    random,
    secretKey,
    ...observation,
    ...(options.attemptEnded && { attemptEnded: options.attemptEnded }),
    lease,
    ...(options.prices && { prices: options.prices }),
    endpointDeleted: (endpointId) => void storage.objects?.endpointDeleted(endpointId),
    volumeFiles: storage.volumes,
    ...(options.handlerTold && { handlerTold: options.handlerTold }),
    findGpus: ground.findGpus,
    gpuUse: gpuUseAsker(),
    ...(docker !== "off" && { podMemoryInGb: containerMemoryInGb }),
  });
  made.defer(() => open.startWork.stop());
  storage.objects?.store.expireUploads(open.context.clock);
  if (options.store !== undefined)
    await checkSecretKey({ ...ground, ...open }, secretKey.findOrMake());
  const webhooks = await prepareWebhooks(options, host, ground);
  made.defer(() => webhooks.sender.close());
  const openSession = sessionsOn(open.context);
  await keepTime(options, { ...ground, ...open }, made);
  return { ...ground, ...open, openSession, local, handlerFiles, handlersReady, storage, webhooks };
}

type State = Awaited<ReturnType<typeof openState>>;

/** The HTTP interface with its keys, and the ports of workers; the interface is not open yet. */
async function openPorts(options: EmulatorOptions, state: State, made: AsyncDisposableStack) {
  const { context, signals, startWork, steps, random, clock, storage, webhooks, callers, log } =
    state;
  const { limits = "enforce", commands = [], dashboard = "on" } = options;
  const startedAt = new Date(clock.now()).toISOString();
  const givenKeys = {
    user: options.apiKey,
    admin: options.adminKey,
    local: options.localKey,
  };
  const keys = await settleKeys({ steps, random, startWork }, givenKeys, startedAt);
  const ring = new KeyRing(keys.records, context.clock);
  signals.recordsChanged.on(() => ring.become(keysNow(steps, keys)));
  const rates = limits === "off" ? undefined : new RateLimiter(context, limits);
  const objects = storage.objects?.listener(S3_PATH);
  const certificate = await openCertificate(options, state, () => [http, workerPorts], made);
  const opened = () => workerPorts.elsewherePort;
  const given = certificate?.certificate;
  const elsewhere = await settleElsewhere(options, { ...state, given, opened });
  const http: HttpServer = createHttpServer({
    engine: context,
    callers,
    keys: ring,
    dashboard,
    webhookSecret: webhooks.secret,
    log,
    limits: rates,
    liveWorkers: new LiveWorkers(context, state.openSession),
    ...(objects && { mount: { path: S3_PATH, listener: objects } }),
    certificate: given,
    workerListener: elsewhere?.listener,
    ownership: state.ownership,
    life: state.life,
  });
  made.defer(() => http.stop());
  const workerPorts = new WorkerPorts({ ...state, keys: ring, http });
  made.defer(() => workerPorts.stop());
  await workerPorts.start(commands.length > 0);
  return { ...state, startedAt, keys, rates, http, certificate, elsewhere, workerPorts };
}

type Ports = Awaited<ReturnType<typeof openPorts>>;

/** The launchers of workers. */
async function openLaunchers(options: EmulatorOptions, ports: Ports, made: AsyncDisposableStack) {
  const { context, openSession, signals, storage, workerPorts, temporaryDir, lease, port } = ports;
  const lines = new JobLines();
  const emulator = { ...options, workerLine: ports.observation.workerLine };
  const inProcess = await inProcessLaunchers(emulator, {
    tempRoot: temporaryDir,
    workerEnv: storage.workerEnv,
    jobLine: (jobId, line) => lines.keep(jobId, line),
    openSession: (token, worker) => openLocalSession(context.tokens, openSession, token, worker),
  });
  const { all, containers, kubernetes } = createLaunchers({
    ...ports,
    ...storage,
    emulator,
    directory: options.dataDir ?? temporaryDir,
    isOurs: (endpointId) => context.ownership.holds(endpointId),
    liveTerms: liveTermsOf(lease),
    liveUrl: () => workerPorts.liveUrl,
    serveLoopback: () => workerPorts.serveLoopback(),
    serveLiveAt: async (address) => workerPorts.serveLiveAt(address, port),
    credentialsOf: async ({ containerRegistryAuthId: id = "" }) =>
      id === "" ? undefined : registryCredentials(context, id),
    ...{ willing: signals.launcherWilling.raise, found: signals.workersFound.raise },
  });
  made.defer(() => containers.close());
  made.defer(() => kubernetes?.close());
  return { ...ports, launchers: [...inProcess, ...all], containers, kubernetes, lines };
}

type Launchers = Awaited<ReturnType<typeof openLaunchers>>;

/** The engine, and the reloader of changed handler files. */
async function openEngine(options: EmulatorOptions, parts: Launchers, made: AsyncDisposableStack) {
  const engine = await createEngine(parts, {
    launchers: parts.launchers,
    podLauncher: parts.containers,
    healthProbe: httpHealthProbe,
    webhookSender: parts.webhooks.sender,
    lockDevice: deviceLocks(parts.log),
  });
  made.defer(() => engine.stop("kill"));
  const { volumes } = parts.storage;
  const reloader = createReloader(options, { ...parts, engine, volumes });
  made.defer(() => reloader?.close());
  return { ...parts, engine, reloader };
}

type Parts = Awaited<ReturnType<typeof openEngine>>;

/** Serves the given endpoints, opens the ports and begins to work. */
async function run(
  options: EmulatorOptions,
  parts: Parts,
  made: AsyncDisposableStack,
): Promise<Emulator> {
  const { engine, startWork, storage, http, local, startedAt, keys, context, lines } = parts;
  await startWork.do(() => engine.serve(servedEndpoints(local, startedAt), options.resources));
  await parts.handlersReady;
  await storage.listen();
  // The port opens before workers start, because another program may have it.
  const url = await http.start({ host: parts.host, port: parts.port });
  if (parts.elsewhere) await parts.workerPorts.serveElsewhere(parts.elsewhere);
  await parts.kubernetes?.reach();
  await startWork.do(async () => {
    await engine.start();
    void parts.containers.clearLeftovers(context.directory.templates());
    parts.reloader?.start();
  });
  const apiKey = keys.userKey;
  const testKit = openTestKit({ engine: context, url, apiKey, lines }, options);
  made.defer(() => testKit.close());
  const stop = stopOf(parts, made);
  return {
    ...{ url, apiKey, webhookSecret: parts.webhooks.secret },
    workerAddress: parts.elsewhere?.address(),
    endpointIds: local.map(({ id }) => id),
    ...testKit.kit,
    s3: storage.objects?.access,
    exceededLimits: () => parts.rates?.exceededLimits() ?? [],
    dashboardLink: () => http.dashboardLink(url),
    rereadCertificate: async () => parts.certificate?.look(),
    stop,
    [Symbol.asyncDispose]: () => stop("kill"),
  };
}
