/**
 * A service that reports when its worker got a job: the emulator's engine, store and worker port, and the built `sv-worker`.
 */
import { chmod } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { openEngine, type RunningEngine } from "../../emulator/engine/engine.ts";
import { viewJobAtEnd } from "../../emulator/engine/jobs/read/job-view.ts";
import { wholePayload } from "../../emulator/engine/jobs/read/show-payload.ts";
import { submit } from "../../emulator/engine/jobs/submit.ts";
import { WorkerSession } from "../../emulator/engine/workers/session/worker-session.ts";
import { admitStarted } from "../../emulator/grpc/worker-admission.ts";
import { WorkerServer } from "../../emulator/grpc/worker-server.ts";
import { createDockerLauncher } from "../../emulator/launch/docker/docker-launcher.ts";
import { createDockerodeEngine } from "../../emulator/launch/docker/dockerode-engine.ts";
import type { LaunchedWorker, Launcher } from "../../emulator/launch/launcher.ts";
import type { WebhookSender } from "../../emulator/webhooks/webhook-sender.ts";
import { createProcessLauncher } from "../../emulator/launch/processes/process-launcher.ts";
import { localEndpoint, localTemplate } from "../../emulator/handlers/local-endpoint.ts";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import { byName } from "../../emulator/assembly/workers/container-places.ts";
import {
  type LoopbackPort,
  openLoopbackPort,
} from "../../emulator/assembly/workers/worker-ports.ts";
import { createSystemClock, createSystemRandom } from "../../emulator/assembly/system-clock.ts";
import { prepareHandler } from "../../runtime/load/prepare-handler.ts";
import { LIMITS } from "../../runtime/protocol/limits.ts";
import type { ServiceOrders, WorkerReport } from "../../runtime/protocol/session.ts";
import { answerQuestions } from "../asking.ts";
import { jobInput } from "../payload.ts";
import { nodeMs } from "../floors/bare-node.ts";

const ENDPOINT = "timed";
const PATIENCE_MS = 30_000;
/** Interval between a worker's messages with its leases. The first of them shows that it has taken the job. */
const RENEWAL_MS = 1;

const program = path.resolve(import.meta.dirname, "../../dist/runtime/sv-worker.cjs");
const log = {
  info: () => undefined,
  warn: () => undefined,
  error: (fields: object, message: string) => console.error(message, fields),
};

const questionShape = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("open"),
    folder: z.string(),
    handler: z.string(),
    workers: z.enum(["one", "for each job"]),
    container: z.object({ image: z.string(), dockerHost: z.string() }).optional(),
  }),
  z.object({ kind: z.literal("start"), compileCache: z.string().optional() }),
  z.object({ kind: z.literal("pickup") }),
  z.object({ kind: z.literal("node") }),
]);

type Opening = Extract<z.infer<typeof questionShape>, { readonly kind: "open" }>;

const pickedUpShape = z.object({ invokedAt: z.string() });

/** The last start of a worker. Its times are those of `performance.now`. */
interface Start {
  launchedAt: number;
  /** Times of its container. */
  createdAt?: number;
  startedAt?: number;
  connectedAt?: number;
  takenAt?: number;
  worker?: LaunchedWorker;
}
let start: Start = { launchedAt: 0 };
let engine: RunningEngine | undefined;

class ListeningSession extends WorkerSession {
  override receive(report: WorkerReport): Promise<void> {
    if (report.renewals !== undefined) start.takenAt ??= performance.now();
    return super.receive(report);
  }
}

function renewingSoon(orders: ServiceOrders): ServiceOrders {
  if (orders.welcome === undefined) return orders;
  return { ...orders, welcome: { ...orders.welcome, leaseRenewalMs: RENEWAL_MS } };
}

/** No job here has a webhook. */
const noWebhooks: WebhookSender = {
  send: () => Promise.reject(new Error("there was a webhook to be called")),
  close: async () => undefined,
};

/** Notes when a container was made, and when its first process was started. */
function inContainers(
  dockerHost: string,
  workerSocket: string,
  openPort: () => Promise<LoopbackPort>,
): Launcher {
  let port: Promise<LoopbackPort> | undefined;
  const docker = createDockerodeEngine(dockerHost);
  const create = docker.create.bind(docker);
  docker.create = async (options) => {
    const container = await create(options);
    start.createdAt = performance.now();
    const begin = container.start.bind(container);
    container.start = async () => {
      await begin();
      start.startedAt = performance.now();
    };
    return container;
  };
  return createDockerLauncher({
    engine: docker,
    emulator: `bench-${process.pid}`,
    workerSocket,
    placesOf: async (order, route) => ({
      ...(route.engine === "here"
        ? { worker: { socket: workerSocket } }
        : byName(order, await (port ??= openPort()))),
      ...{ volume: undefined, env: {}, user: "1000:1000" },
    }),
    credentialsOf: async () => undefined,
    networkVolumeOf: async () => undefined,
    line: () => undefined,
    podLine: () => undefined,
    willing: () => undefined,
    clock: createSystemClock(),
    log,
  });
}

function timed(launcher: Launcher): Launcher {
  const launch = launcher.launch.bind(launcher);
  launcher.launch = (order) => {
    start = { launchedAt: performance.now() };
    return (start.worker = launch(order));
  };
  return launcher;
}

async function open({ folder, handler, workers, container }: Opening): Promise<RunningEngine> {
  const { modulePath } = await prepareHandler(handler);
  const workerSocket = path.join(folder, "worker.sock");
  const launcher =
    container === undefined
      ? createProcessLauncher({
          program,
          serverProgram: program,
          serviceAddress: () => server.address,
          handlerOf: () => modulePath,
          line: () => undefined,
        })
      : inContainers(container.dockerHost, workerSocket, () =>
          openLoopbackPort(server, Date.now()),
        );
  const opened = await openEngine({
    store: await openSqliteStore({ directory: path.join(folder, "data") }),
    clock: createSystemClock(),
    random: createSystemRandom(),
    log,
    launchers: [timed(launcher)],
    webhookSender: noWebhooks,
  });
  const server = new WorkerServer({
    address: `unix:${workerSocket}`,
    log,
    admit: admitStarted(opened.context),
    openSession: (worker, send) => {
      start.connectedAt ??= performance.now();
      return workersMin === 1
        ? new WorkerSession(opened.context, worker, send)
        : new ListeningSession(opened.context, worker, (orders) => send(renewingSoon(orders)));
    },
  });
  await server.start();
  // A container runs as another user.
  await chmod(workerSocket, 0o666);
  const workersMin = workers === "one" ? 1 : 0;
  const settings = { workersMin, workersMax: 1, idleTimeout: 0 };
  const local = { id: ENDPOINT, path: modulePath, settings };
  const endpoint = localEndpoint(local, new Date().toISOString());
  const template = localTemplate(local);
  const imageName = container?.image ?? template.imageName;
  await opened.serve([{ template: { ...template, imageName }, endpoint }]);
  await opened.start();
  return opened;
}

/** Returns the job's output, and the moment when its submission was durable, in ns of this machine's clock. */
async function runJob(): Promise<{ readonly committedAt: bigint; readonly output: string }> {
  if (engine === undefined) throw new Error("The service is not open.");
  const { context } = engine;
  const { id } = await submit(context, {
    endpointId: ENDPOINT,
    kind: "async",
    submission: {
      input: Buffer.from(JSON.stringify(jobInput)),
      policy: { lowPriority: false, ttlMs: LIMITS.ttlDefaultMs },
    },
  });
  const committedAt = process.hrtime.bigint();
  const ref = { endpointId: ENDPOINT, jobId: id };
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const { job, output } = await viewJobAtEnd(context, ref, PATIENCE_MS, patience);
  if (job.status !== "COMPLETED") throw new Error(`The job is ${job.status}.`);
  return { committedAt, output: Buffer.from(output ? await wholePayload(output) : []).toString() };
}

/** The endpoint has no workers at rest. It gets one as soon as a job waits, and ends it as soon as it is idle. */
async function startWorker(compileCache: string | undefined): Promise<object> {
  if (compileCache === undefined) delete process.env["NODE_COMPILE_CACHE"];
  else process.env["NODE_COMPILE_CACHE"] = compileCache;
  await runJob();
  const resultMs = performance.now() - start.launchedAt;
  const { launchedAt, createdAt, startedAt, connectedAt = NaN, worker } = start;
  const { takenAt = performance.now() } = start;
  await worker?.exited;
  return {
    ...(createdAt !== undefined && { createdMs: createdAt - launchedAt }),
    ...(startedAt !== undefined && { startedMs: startedAt - launchedAt }),
    connectedMs: connectedAt - launchedAt,
    takenMs: takenAt - launchedAt,
    resultMs,
  };
}

async function pickupMs(): Promise<number> {
  const { committedAt, output } = await runJob();
  const { invokedAt } = pickedUpShape.parse(JSON.parse(output));
  return Number(BigInt(invokedAt) - committedAt) / 1e6;
}

// Without this, Node reads certificates when gRPC is loaded, which takes 7 ms of processor time.
delete process.env["NODE_EXTRA_CA_CERTS"];

answerQuestions(async (message) => {
  const question = questionShape.parse(message);
  switch (question.kind) {
    case "open":
      engine = await open(question);
      return null;
    case "start":
      return startWorker(question.compileCache);
    case "pickup":
      return pickupMs();
    case "node":
      return nodeMs();
  }
});
