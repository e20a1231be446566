/**
 * One of two replicas: the emulator's engine and HTTP interface. The first one owns all endpoints and has one worker. The other
 * one passes every request on to the first.
 */
import path from "node:path";
import { z } from "zod";
import type { RunningEngine } from "../../emulator/engine/engine.ts";
import { localEndpoint, localTemplate } from "../../emulator/handlers/local-endpoint.ts";
import type { Launcher } from "../../emulator/launch/launcher.ts";
import { createProcessLauncher } from "../../emulator/launch/processes/process-launcher.ts";
import { openSqliteStore } from "../../emulator/store/sqlite/sqlite-store.ts";
import { prepareHandler } from "../../runtime/load/prepare-handler.ts";
import { ScriptedCluster } from "../../test/unit/scripted-ownership.ts";
import { answerQuestions } from "../asking.ts";
import { httpServerOf, openReplica, workerServerOf } from "../replica-parts.ts";

const ENDPOINT = "echo";
const program = path.resolve(import.meta.dirname, "../../dist/runtime/sv-worker.cjs");
const questionShape = z.object({
  folder: z.string(),
  /** Address of the replica that owns everything; absent for that replica. */
  owner: z.string().optional(),
});

async function open(folder: string, launchers: readonly Launcher[]): Promise<RunningEngine> {
  const store = await openSqliteStore({ directory: path.join(folder, "data") });
  return openReplica({ store, launchers });
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
  const server = workerServerOf(opened, `unix:${path.join(folder, "worker.sock")}`);
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
  const cluster = new ScriptedCluster();
  cluster.rest = "owner";
  const owner = cluster.join("owner", () => address ?? "");
  const front = cluster.join("front", () => "");
  const http = httpServerOf(running, address === undefined ? owner : front);
  await running.start();
  return http.start({ host: "127.0.0.1", port: 0 });
}

answerQuestions(async (message) => {
  const { folder, owner } = questionShape.parse(message);
  return start(folder, owner);
});
