/**
 * One of two replicas: the emulator's engine and HTTP interface. The first one has all endpoints and one worker, the other has
 * nothing and passes everything on to the first.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import { z } from "zod";
import { callerCheck } from "../../emulator/assembly/callers.ts";
import { createSystemClock, createSystemRandom } from "../../emulator/assembly/system-clock.ts";
import { KeyRing } from "../../emulator/core/access/key-ring.ts";
import { openEngine, type RunningEngine } from "../../emulator/engine/engine.ts";
import { WorkerSession } from "../../emulator/engine/workers/worker-session.ts";
import { WorkerServer } from "../../emulator/grpc/worker-server.ts";
import { localEndpoint, localTemplate } from "../../emulator/handlers/local-endpoint.ts";
import { createHttpServer } from "../../emulator/http/server.ts";
import type { Launcher } from "../../emulator/launch/launcher.ts";
import { createProcessLauncher } from "../../emulator/launch/processes/process-launcher.ts";
import { fixedSecretKey } from "../../emulator/secrets/secret-key.ts";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import { prepareHandler } from "../../runtime/load/prepare-handler.ts";
import { ScriptedCluster } from "../../test/unit/scripted-ownership.ts";
import { API_KEY } from "../emulator-process.ts";
import { answerQuestions } from "../asking.ts";

const ENDPOINT = "echo";
const SECRET_KEY_BYTES = 32;
const program = path.resolve(import.meta.dirname, "../../dist/runtime/sv-worker.cjs");
const log = {
  info: () => undefined,
  warn: () => undefined,
  error: (fields: object, message: string) => console.error(message, fields),
};
const questionShape = z.object({
  folder: z.string(),
  /** Of the replica that has everything; absent for itself. */
  owner: z.string().optional(),
});

async function open(folder: string, launchers: readonly Launcher[]): Promise<RunningEngine> {
  return openEngine({
    store: await openSqliteStore({ directory: path.join(folder, "data") }),
    clock: createSystemClock(),
    random: createSystemRandom(),
    secretKey: fixedSecretKey(Buffer.alloc(SECRET_KEY_BYTES)),
    log,
    launchers,
    webhookSender: {
      send: () => Promise.reject(new Error("there was a webhook to be called")),
      close: async () => undefined,
    },
  });
}

async function openWithWorker(folder: string): Promise<RunningEngine> {
  const { modulePath } = await prepareHandler(
    path.resolve(import.meta.dirname, "../handlers/echo.ts"),
  );
  const launcher = createProcessLauncher({
    program,
    serverProgram: program,
    serviceAddress: () => server.address,
    handlerOf: () => modulePath,
    line: () => undefined,
  });
  const opened = await open(folder, [launcher]);
  const server = new WorkerServer({
    address: `unix:${path.join(folder, "worker.sock")}`,
    log,
    authenticate: (token) => opened.context.tokens.find(token),
    openSession: (worker, send) => new WorkerSession(opened.context, worker, send),
  });
  await server.start();
  const local = {
    id: ENDPOINT,
    path: modulePath,
    settings: { workersMin: 1, workersMax: 1, idleTimeout: 0 },
  };
  const endpoint = localEndpoint(local, new Date().toISOString());
  await opened.serve([{ template: localTemplate(local), endpoint }]);
  return opened;
}

async function start(folder: string, address: string | undefined): Promise<string> {
  const running = address === undefined ? await openWithWorker(folder) : await open(folder, []);
  const engine = running.context;
  const cluster = new ScriptedCluster();
  cluster.rest = "owner";
  const owner = cluster.join("owner", () => address ?? "");
  const front = cluster.join("front", () => "");
  const digest = createHash("sha256").update(API_KEY).digest("hex");
  const createdAt = new Date().toISOString();
  const http = createHttpServer({
    engine,
    callers: callerCheck("127.0.0.1", { allowedHosts: [], allowedOrigins: [] }),
    keys: new KeyRing(
      [{ id: "user", name: "bench", scope: "all", digest, createdAt }],
      engine.clock,
    ),
    webhookSecret: "",
    log,
    ownership: address === undefined ? owner : front,
  });
  await running.start();
  return http.start({ host: "127.0.0.1", port: 0 });
}

answerQuestions(async (message) => {
  const { folder, owner } = questionShape.parse(message);
  return start(folder, owner);
});
