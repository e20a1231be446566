/** Composition root of the service: makes the parts, connects them, and takes them down in the right order. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { clearLeftovers } from "../runtime/leftovers/clear-leftovers.ts";
import { ownedName } from "../runtime/leftovers/owner.ts";
import type { Random } from "./core/clock.ts";
import { KeyRing } from "./core/key-ring.ts";
import { DEFAULT_LEASE_TERMS, type LeaseTerms, termsOfLease } from "./core/lease-terms.ts";
import type { EngineLog } from "./engine/context.ts";
import { createEngine, type RunningEngine } from "./engine/engine.ts";
import { settleUserKey } from "./engine/user-key.ts";
import { WorkerSession } from "./engine/worker-session.ts";
import { WorkerServer } from "./grpc/worker-server.ts";
import { HandlerFiles } from "./handler-files.ts";
import { createHttpServer, type HttpServer } from "./http/server.ts";
import { createProcessLauncher } from "./launch/process-launcher.ts";
import { type LocalHandler, localEndpoint, localTemplate } from "./local-endpoint.ts";
import { ObjectService, type S3Access } from "./objects/object-service.ts";
import { createMemoryStore } from "./store/memory/memory-store.ts";
import { openSqliteStore } from "./store/sqlite/sqlite-store.ts";
import type { Store } from "./store/store.ts";
import { createSystemClock, createSystemRandom } from "./system-clock.ts";

/** A line a worker or its handler wrote. */
export interface WorkerLine {
  readonly workerId: string;
  readonly endpointId: string;
  readonly line: string;
}

export interface EmulatorOptions {
  /** Address to listen on; default 127.0.0.1. */
  readonly host?: string;
  /** Port to listen on; default 7080, 0 for any free one. */
  readonly port?: number;
  /**
   * The object store that S3 clients can use, workers among them: false for none, by default there is one. Its port is
   * by default the one above `port`, or any free one where that is taken or `port` is 0.
   */
  readonly s3?: false | { readonly port?: number };
  /** Directory that keeps everything over restarts; without it everything is kept in memory, objects in a temporary directory, and lost at the end. */
  readonly dataDir?: string;
  /** The user's API key; by default one is generated at the first start of a data directory. */
  readonly apiKey?: string;
  /** Handler modules to serve, each as an endpoint. */
  readonly handlers?: readonly LocalHandler[];
  /**
   * How long a worker may say nothing before it is taken for lost, ended and replaced, ms; default 15,000, at least
   * 1,000. It is told to speak three times as often.
   */
  readonly leaseMs?: number;
  /** Where the service says what it does; by default nowhere. */
  readonly log?: EngineLog;
  /** Called with each line a worker writes. */
  readonly workerLine?: (line: WorkerLine) => void;
}

export interface Emulator extends AsyncDisposable {
  /** For example `http://127.0.0.1:7080`. */
  readonly url: string;
  /** The user's API key, if it was given or generated in this start. */
  readonly apiKey: string | undefined;
  readonly endpointIds: readonly string[];
  /** Where the object store is and the keys for it; undefined if there is none. */
  readonly s3: S3Access | undefined;
  /** Stops everything: `drain` (the default) lets running jobs finish, `kill` does not. Idempotent; `kill` hastens a drain. */
  stop(how?: "drain" | "kill"): Promise<void>;
}

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
 *   RangeError for a `leaseMs` that makes no sense
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { leaseMs } = options;
  const lease = leaseMs === undefined ? DEFAULT_LEASE_TERMS : termsOfLease(leaseMs);
  const log = options.log ?? SILENT;
  const store =
    options.dataDir === undefined
      ? createMemoryStore()
      : await openSqliteStore({ directory: options.dataDir });
  const parts: Parts = {
    log,
    store,
    lease,
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
  readonly store: Store;
  /** For what lasts no longer than this run: the worker port's socket, and objects if there is no data directory. */
  readonly temporaryDir: string;
  /** Settles when what killed services left is gone. */
  readonly leftoversCleared: Promise<void>;
  objects?: ObjectService;
  engine?: RunningEngine;
  workerServer?: WorkerServer;
  http?: HttpServer;
}

async function compose(options: EmulatorOptions, parts: Parts): Promise<Emulator> {
  const { log, store, lease } = parts;
  const random = createSystemRandom();
  const clock = createSystemClock();
  const handlers = options.handlers ?? [];
  const handlerFiles = new HandlerFiles(handlers, log);
  const objects = await startObjects(options, parts, random);
  const launcher = createProcessLauncher({
    program: fileURLToPath(workerProgram()),
    serviceAddress: () => workerServer.address,
    handlerOf: (template) => handlerFiles.moduleOf(template),
    extraEnv: ({ endpoint, template }) => objects?.workerEnv(endpoint.id, template.env) ?? {},
    line: ({ workerId, endpoint }, line) =>
      options.workerLine?.({ workerId, endpointId: endpoint.id, line }),
  });
  const startedAt = new Date(clock.now()).toISOString();
  const userKey = await settleUserKey(store, random, options.apiKey, startedAt);
  const engine = await createEngine({
    store,
    clock,
    random,
    log,
    lease,
    launchers: [launcher],
    endpointDeleted: (endpointId) => void objects?.endpointDeleted(endpointId),
  });
  parts.engine = engine;
  const workerServer = workerPort(engine, parts);
  const http = createHttpServer({
    engine: engine.context,
    keys: new KeyRing([userKey.record]),
    log,
    ...(objects && { mount: { path: S3_PATH, listener: objects.listener(S3_PATH) } }),
  });
  parts.http = http;
  await workerServer.start();
  await engine.serve(
    handlers.map((handler) => ({
      template: localTemplate(handler),
      endpoint: localEndpoint(handler, startedAt),
    })),
  );
  await handlerFiles.ready;
  engine.start();
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = options;
  const url = await http.start({ host, port });
  return running(url, userKey.key, handlers, parts, http);
}

function workerPort(engine: RunningEngine, parts: Parts): WorkerServer {
  parts.workerServer = new WorkerServer({
    address: `unix:${join(parts.temporaryDir, "worker.sock")}`,
    log: parts.log,
    authenticate: (token) => engine.workers.authenticate(token),
    openSession: (worker, send) => new WorkerSession(engine.context, worker, send),
  });
  return parts.workerServer;
}

/** Before the workers, which are told its address. */
async function startObjects(
  { host = DEFAULT_HOST, port = DEFAULT_PORT, dataDir, s3 = {} }: EmulatorOptions,
  parts: Parts,
  random: Random,
): Promise<ObjectService | undefined> {
  if (s3 === false) return undefined;
  const objects = new ObjectService({
    directory: join(dataDir ?? parts.temporaryDir, "objects"),
    random,
    // Clients date their signatures by the wall clock, which service time leaves when the machine sleeps.
    now: Date.now,
    log: parts.log,
  });
  parts.objects = objects;
  const next = port === 0 || port === LAST_PORT ? 0 : port + 1;
  await objects.start({ host, port: s3.port ?? next, mayMove: s3.port === undefined });
  return objects;
}

function running(
  url: string,
  apiKey: string | undefined,
  handlers: readonly LocalHandler[],
  parts: Parts,
  http: HttpServer,
): Emulator {
  let stopped: Promise<void> | undefined;
  const stop = async (how: "drain" | "kill" = "drain") => {
    if (how === "kill") parts.engine?.workers.killAll();
    stopped ??= Promise.all([http.stop(), parts.engine?.stop(how)]).then(() =>
      takeDown(parts, how),
    );
    return stopped;
  };
  return {
    url,
    apiKey,
    endpointIds: handlers.map(({ id }) => id),
    s3: parts.objects?.access,
    stop,
    [Symbol.asyncDispose]: () => stop("kill"),
  };
}

async function takeDown(parts: Parts, how: "drain" | "kill"): Promise<void> {
  await parts.engine?.stop(how);
  await parts.workerServer?.stop();
  // Workers that drained were still uploading.
  await parts.objects?.stop();
  await parts.store.close();
  await parts.leftoversCleared;
  await rm(parts.temporaryDir, { recursive: true, force: true });
}

/** The program workers run: beside the built service, or the built one when the service runs from its sources. */
function workerProgram(): URL {
  const built = import.meta.url.endsWith(".js");
  return new URL(
    built ? "../runtime/sv-worker.cjs" : "../dist/runtime/sv-worker.cjs",
    import.meta.url,
  );
}
