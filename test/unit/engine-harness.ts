/** An engine on the memory store, with time and chance controlled by the test, and workers that the test scripts. */
import { LIMITS } from "../../runtime/protocol/limits.ts";
import type { Job, JobKind } from "../../emulator/core/jobs/job.ts";
import { submit, type SubmitRequest } from "../../emulator/engine/jobs/submit.ts";
import type { Random } from "../../emulator/core/time/clock.ts";
import type { Endpoint } from "../../emulator/core/resources/endpoints/endpoint.ts";
import type { GpuInventory } from "../../emulator/core/workers/gpu-allocation.ts";
import type { Template } from "../../emulator/core/resources/templates/template.ts";
import type { EngineContext } from "../../emulator/engine/parts/engine-parts.ts";
import type { EngineLog } from "../../emulator/engine/observe/engine-log.ts";
import { openEngine } from "../../emulator/engine/engine.ts";
import { MEMORY_LIMITS, type MemoryLimits } from "../../emulator/engine/steps/state/job-memory.ts";
import { openSteps } from "../../emulator/engine/steps/steps.ts";
import { WorkerHandle } from "../../emulator/engine/workers/worker-handle.ts";
import type { PodKeeper } from "../../emulator/engine/pods/pod-keeper.ts";
import type { WorkerManager } from "../../emulator/engine/workers/worker-manager.ts";
import type { HealthProbe } from "../../emulator/balance/health-probe.ts";
import type { LauncherKind } from "../../emulator/core/workers/worker-life.ts";
import type { LaunchedWorker, Launcher, WorkerExit } from "../../emulator/launch/launcher.ts";
import type { PodLauncher } from "../../emulator/launch/pod-launcher.ts";
import { localEndpoint, localTemplate } from "../../emulator/handlers/local-endpoint.ts";
import type { SecretKey } from "../../emulator/secrets/secret-key.ts";
import { createMemoryStore } from "../../emulator/store/memory/memory-store.ts";
import type { Ownership } from "../../emulator/store/ownership.ts";
import type { Store } from "../../emulator/store/store.ts";
import type { Tracer } from "../../emulator/trace/tracer.ts";
import type { WebhookSender } from "../../emulator/webhooks/webhook-sender.ts";
import { FakeClock } from "../fake-clock.ts";
import { ScriptedSender } from "./scripted-sender.ts";
import { ScriptedWorker } from "./scripted-worker.ts";
import { IS_FORWARDED, TwoReplicas } from "./two-replicas.ts";

export interface LogEntry {
  readonly level: "info" | "warn" | "error";
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface TestEngine extends AsyncDisposable {
  readonly engine: EngineContext;
  readonly pods: PodKeeper;
  readonly workers: WorkerManager;
  /** Real time, which service time follows until it is advanced. */
  readonly clock: FakeClock;
  /** Everything that the engine has logged. */
  readonly logged: readonly LogEntry[];
  /** A store that another replica can have as well. */
  readonly shared: { readonly replicas: TwoReplicas; readonly ownership: Ownership } | undefined;
  /** Adds an endpoint (default id `echo`) with a template of its own; no worker is started for it. */
  addEndpoint(id?: string, settings?: Partial<Endpoint>): Promise<Endpoint>;
  /** A worker of the endpoint that is ready and has credit for `credit` jobs (default 1). `kind`: as if that launcher had started it. */
  connectWorker(
    endpointId?: string,
    options?: { readonly credit?: number; readonly kind?: LauncherKind },
  ): Promise<ScriptedWorker>;
  /** Submits a job. Default: an async one of `echo` with the input `{}` and the default policy. */
  submit(job?: TestJob): Promise<Job>;
  /** The job as the engine knows it. */
  job(id: string): Promise<Job | undefined>;
  /** Ends the clock-driven rules and closes the store. */
  stop(how?: "drain" | "kill"): Promise<void>;
}

export interface TestJob extends Partial<SubmitRequest["submission"]["policy"]> {
  readonly endpointId?: string;
  readonly kind?: JobKind;
  readonly input?: string | Uint8Array;
}

export interface HarnessOptions {
  readonly webhookSender?: WebhookSender;
  readonly clock?: FakeClock;
  /** By default no GPU is known. */
  readonly findGpus?: () => Promise<GpuInventory>;
  /** Default: no traces are collected. */
  readonly tracer?: Tracer;
  /** Default: pods do not run. */
  readonly podLauncher?: PodLauncher;
  /** By default no server is healthy. */
  readonly healthProbe?: HealthProbe;
  /** Default: the service's bounds of memory. */
  readonly limits?: MemoryLimits;
  /** The unit of the patience of steps, ms; default 0: no batch waits for further steps. */
  readonly gatherMs?: number;
  /** Ownership, for a store that several engines share. */
  readonly ownership?: Ownership;
  /** Number of ids drawn before: engines that share a store draw no id twice. */
  readonly drawn?: number;
  /** Key that encrypts stored secrets; default: the engine's own. */
  readonly secretKey?: SecretKey;
}

/**
 * An engine (by default on a memory store) with the endpoint `echo`. Its jobs wait until the test connects a
 * worker, or passes a launcher.
 */
export async function createTestEngine(
  store: Store = createMemoryStore(),
  launcher?: Launcher,
  options?: HarnessOptions,
): Promise<TestEngine> {
  const test = await openTestEngine(store, launcher, options);
  await test.addEndpoint();
  return test;
}

/**
 * Like `createTestEngine`, for a service; with `SV_TEST_FORWARDED` on a store that another replica can have as
 * well.
 */
export async function createServiceEngine(
  launcher?: Launcher,
  options?: HarnessOptions,
): Promise<TestEngine> {
  if (!IS_FORWARDED) return createTestEngine(undefined, launcher, options);
  const test = await openReplica(await TwoReplicas.open(), launcher, options);
  await test.addEndpoint();
  return test;
}

/** An engine on the store of the replicas, without the endpoint `echo` unless the store has it. */
export async function openReplica(
  replicas: TwoReplicas,
  launcher?: Launcher,
  options: HarnessOptions = {},
): Promise<TestEngine> {
  const isOtherBusy = options.clock?.isBusy ?? (() => false);
  const store = await replicas.join();
  const { ownership } = store;
  if (ownership === undefined) throw new Error("the store is not shared");
  const test = await openTestEngine(store, launcher, { ...options, ownership });
  const { isBusy } = test.clock;
  test.clock.isBusy = () => isBusy() || isOtherBusy();
  const stop: TestEngine["stop"] = async (how) => {
    const stopped = test.stop(how).then(() => true);
    const advanced = () => test.clock.advance(1_000).then(() => false);
    // Running jobs have a while to end in place.
    for (let isOver = false; !isOver;) isOver = await Promise.race([stopped, advanced()]);
    await replicas.left();
  };
  const shared = { replicas, ownership };
  return { ...test, shared, stop, [Symbol.asyncDispose]: () => stop() };
}

async function openTestEngine(
  store: Store,
  launcher: Launcher = unwilling,
  {
    webhookSender = new ScriptedSender(),
    clock = new FakeClock(),
    findGpus,
    healthProbe,
    tracer,
    podLauncher,
    limits = MEMORY_LIMITS,
    gatherMs = 0,
    ownership,
    drawn = 0,
    secretKey,
  }: HarnessOptions = {},
): Promise<TestEngine> {
  const logged: LogEntry[] = [];
  const log = collectingLog(logged);
  const random = seededRandom(drawn);
  const running = await openEngine({
    store,
    steps: await openSteps(store, { log, clock, limits, gatherMs, ownership }),
    clock,
    random,
    log,
    launchers: [launcher],
    ...(podLauncher && { podLauncher }),
    ...(findGpus && { findGpus }),
    webhookSender,
    tracer,
    ...(healthProbe && { healthProbe }),
    ...(secretKey && { secretKey }),
  });
  const engine = running.context;
  clock.isBusy = () =>
    engine.pendingWork.underWay.some((what) => what === "storing" || what === "reading");
  await running.start();
  const stop = async (how: "drain" | "kill" = "kill") => {
    await running.stop(how);
    await engine.steps.close();
    await store.close();
  };
  const addEndpoint = async (id = "echo", settings: Partial<Endpoint> = {}) => {
    const createdAt = new Date(clock.now()).toISOString();
    const template: Template = localTemplate({ id });
    const quiet = { workersMin: 0, workersMax: 10, idleTimeout: 3_600, ...settings };
    const endpoint: Endpoint = {
      ...localEndpoint({ id }, createdAt),
      ...quiet,
    };
    await running.serve([{ template, endpoint }]);
    return endpoint;
  };
  return {
    engine,
    workers: running.workers,
    pods: running.pods,
    clock,
    logged,
    shared: undefined,
    addEndpoint,
    async connectWorker(endpointId = "echo", { credit = 1, kind } = {}) {
      const id = random.shortId(14);
      const worker = new WorkerHandle({
        id,
        endpointId,
        endpointVersion: 1,
        startedAt: engine.clock.now(),
        realClock: engine.realClock,
      });
      if (kind) worker.launched = launchedAs(kind);
      engine.fleet.add(worker);
      const scripted = new ScriptedWorker(engine, worker);
      await scripted.greet(credit);
      return scripted;
    },
    job: (id) => engine.steps.read((reads) => reads.job(id)),
    async submit({ endpointId = "echo", kind = "async", input = "{}", ...wishes } = {}) {
      const policy = { lowPriority: false, ttlMs: LIMITS.ttlDefaultMs, ...wishes };
      return submit(engine, {
        endpointId,
        kind,
        submission: { input: Buffer.from(input), policy },
      });
    },
    stop,
    [Symbol.asyncDispose]: () => stop(),
  };
}

function launchedAs(kind: LauncherKind): LaunchedWorker {
  const { promise: exited, resolve } = Promise.withResolvers<WorkerExit>();
  const exit = { exitCode: 0, signal: undefined, outOfMemory: false, startError: undefined };
  const end = () => resolve({ ...exit, lastLogLines: [] });
  return { kind, exited, drain: end, kill: end };
}

function collectingLog(entries: LogEntry[]): EngineLog {
  const collect = (level: LogEntry["level"]) => (fields: LogEntry["fields"], message: string) => {
    entries.push({ level, fields, message });
  };
  return { info: collect("info"), warn: collect("warn"), error: collect("error") };
}

/** A launcher that starts nothing: the test connects its workers itself. */
const unwilling: Launcher = {
  refuses: () => "tests connect their own workers",
  launch: () => {
    throw new Error("this launcher was never willing");
  },
  close: async () => undefined,
};

/** Equal ids in equal order in every run, in the form of real ones. */
function seededRandom(first: number): Random {
  let drawn = first;
  const counter = (digits: number, radix: number) =>
    (drawn += 1).toString(radix).padStart(digits, "0");
  return {
    uuid: (now) => {
      const time = now.toString(16).padStart(12, "0");
      return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${counter(12, 16)}`;
    },
    token: () => `token-${counter(18, 36)}`,
    bytes: (length) => Buffer.from(counter(2 * length, 16).slice(-2 * length), "hex"),
    shortId: (length) => counter(length, 36),
  };
}
