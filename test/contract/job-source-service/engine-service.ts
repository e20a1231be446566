/** The real engine as the service of a contract, over any transport for its workers. */
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { cancel } from "../../../emulator/engine/jobs/cancel.ts";
import { digestOf } from "../../../emulator/core/access/key-ring.ts";
import type { EngineContext } from "../../../emulator/engine/parts/engine-parts.ts";
import { WorkerHandle } from "../../../emulator/engine/workers/worker-handle.ts";
import { viewJob } from "../../../emulator/engine/jobs/read/job-view.ts";
import { wholePayload } from "../../../emulator/engine/jobs/read/show-payload.ts";
import { readStream } from "../../../emulator/engine/streams/read-stream.ts";
import { chunksShown } from "../../../emulator/engine/streams/shown-batches.ts";
import { submit } from "../../../emulator/engine/jobs/submit.ts";
import {
  type OpenSession,
  sessionsOn,
} from "../../../emulator/engine/workers/session/worker-session.ts";
import { admitStarted } from "../../../emulator/grpc/worker-admission.ts";
import { WorkerServer } from "../../../emulator/grpc/worker-server.ts";
import { joinChunks } from "../../../runtime/client/stream/join-chunks.ts";
import type { RawChunk } from "../../../runtime/protocol/chunk.ts";
import { isTerminal } from "../../../runtime/protocol/job-status.ts";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import { ServiceJobSource } from "../../../runtime/source/service-job-source.ts";
import type { JobSource } from "../../../runtime/source/job-source.ts";
import { localSessions, type LocalWorkerSide } from "../../../runtime/source/local-session.ts";
import { SessionSource } from "../../../runtime/source/session-source.ts";
import { createTestEngine, type TestEngine } from "../../unit/engine-harness.ts";
import type { JobService, SeenJob } from "./service.ts";

const endpointId = "echo";
const reconnect = { firstMs: 1, maxMs: 5 };
const runtimeVersion = "1.2.3";

/** Transport between workers and the engine. */
export interface Transport extends AsyncDisposable {
  /** A source of the worker with that token. */
  newSource(token: string): JobSource;
  cut(): Promise<void>;
  restore(): Promise<void>;
}

/** Parts of the engine that a transport needs. */
export interface EngineDoor {
  readonly engine: EngineContext;
  readonly openSession: OpenSession;
}

/** @param open makes the transport for one service */
export async function startEngineService(
  open: (door: EngineDoor) => Promise<Transport>,
): Promise<JobService> {
  const test = await createTestEngine();
  const { engine } = test;
  let workers = 0;
  const transport = await open({ engine, openSession: sessionsOn(engine) });
  return {
    newSource: () => {
      const { id } = addWorker(engine, `worker-${++workers}`);
      return transport.newSource(id);
    },
    submit: (input) => submitted(engine, input),
    jobOf: (id) => seenJob(engine, id),
    cancel: async (jobId) => void (await cancel(engine, { endpointId, jobId })),
    cut: () => transport.cut(),
    restore: () => transport.restore(),
    giveUpSilentJobs: () => test.clock.advance(LIMITS.leaseMs),
    [Symbol.asyncDispose]: () => closed(transport, test),
  };
}

async function closed(transport: Transport, test: TestEngine): Promise<void> {
  await transport[Symbol.asyncDispose]();
  await test[Symbol.asyncDispose]();
}

function addWorker(engine: EngineContext, id: string): WorkerHandle {
  const startedAt = engine.clock.now();
  const { realClock } = engine;
  const worker = new WorkerHandle({ id, endpointId, endpointVersion: 1, startedAt, realClock });
  engine.fleet.add(worker);
  // The worker's token is its id.
  engine.tokens.add(digestOf(id), worker);
  return worker;
}

async function submitted(engine: EngineContext, input: unknown): Promise<string> {
  const policy = { lowPriority: false, ttlMs: LIMITS.ttlDefaultMs };
  const submission = { input: Buffer.from(JSON.stringify(input)), policy };
  const { id } = await submit(engine, { endpointId, kind: "async", submission });
  return id;
}

async function seenJob(engine: EngineContext, jobId: string): Promise<SeenJob> {
  const ref = { endpointId, jobId };
  const { job, output } = await viewJob(engine, ref);
  const { signal } = new AbortController();
  const { batches } = await readStream(engine, ref, { from: 0, holdMs: 0, signal });
  const chunks: Uint8Array[] = [];
  for (const batch of batches) for await (const chunk of chunksShown(batch)) chunks.push(chunk);
  return {
    isDone: isTerminal(job.status),
    output: output === undefined ? undefined : parsed(await wholePayload(output)),
    error: job.failure?.message,
    chunks: joinChunks(chunks.map((chunk) => parsed(chunk) as RawChunk)).map(
      ({ output: whole }) => whole,
    ),
  };
}

function parsed(json: Uint8Array): unknown {
  return JSON.parse(Buffer.from(json).toString());
}

/** gRPC over a socket in its own folder. */
export async function overGrpc({ engine, openSession }: EngineDoor): Promise<Transport> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "sv-contract-"));
  const address = `unix:${path.join(folder, "worker.sock")}`;
  const listen = async (): Promise<WorkerServer> => {
    const { log } = engine;
    const server = new WorkerServer({
      address,
      log,
      admit: admitStarted(engine),
      openSession,
    });
    await server.start();
    return server;
  };
  let server = await listen();
  const cut = async (): Promise<void> => {
    await server.stop();
    await fs.rm(path.join(folder, "worker.sock"), { force: true });
  };
  return {
    newSource: (token) => new ServiceJobSource({ address, token, runtimeVersion, reconnect }),
    cut,
    restore: async () => {
      server = await listen();
    },
    [Symbol.asyncDispose]: async () => {
      await cut();
      await fs.rm(folder, { recursive: true });
    },
  };
}

/** Calls within this process. */
export async function withinTheProcess({ engine, openSession }: EngineDoor): Promise<Transport> {
  const workerSides = new Set<LocalWorkerSide>();
  let isDown = false;
  const open = (token: string) =>
    localSessions((workerSide) => {
      const worker = engine.tokens.find(token);
      if (worker === undefined) return "nobody knows this worker";
      if (isDown) {
        queueMicrotask(() => workerSide.cut("nobody is there"));
        return { receive: async () => undefined, disconnected: () => undefined };
      }
      workerSides.add(workerSide);
      const session = openSession(worker, workerSide.send);
      return {
        receive: (report) => session.receive(report),
        disconnected: () => {
          workerSides.delete(workerSide);
          session.disconnected();
        },
      };
    });
  const cut = async (): Promise<void> => {
    isDown = true;
    for (const workerSide of workerSides) workerSide.cut("cut");
  };
  return {
    newSource: (token) =>
      new SessionSource({ openSession: open(token), runtimeVersion, reconnect }),
    cut,
    restore: async () => {
      isDown = false;
    },
    [Symbol.asyncDispose]: cut,
  };
}
