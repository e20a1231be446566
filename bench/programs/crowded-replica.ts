/** One of several replicas on a PostgreSQL database, with workers that are sessions of `simulated-workers`. */
import path from "node:path";
import { z } from "zod";
import { createSystemClock } from "../../emulator/assembly/system-clock.ts";
import { localEndpoint, localTemplate } from "../../emulator/handlers/local-endpoint.ts";
import { openPostgresStore } from "../../emulator/store/postgres/postgres-store.ts";
import { answerQuestions } from "../asking.ts";
import { httpServerOf, openReplica, workerServerOf } from "../replica-parts.ts";
import { simulatedLauncher } from "../simulated-launcher.ts";

const questionShape = z.object({
  folder: z.string(),
  store: z.string(),
  port: z.number(),
  /** Socket that receives orders to start workers. */
  socket: z.string(),
  /** Number of workers per endpoint. */
  workers: z.record(z.string(), z.number()),
});

type Opening = z.infer<typeof questionShape>;

function served(workers: Opening["workers"]) {
  const createdAt = new Date().toISOString();
  return Object.entries(workers).map(([id, count]) => {
    const settings = { workersMin: count, workersMax: count };
    const local = { id, settings };
    return { template: localTemplate(local), endpoint: localEndpoint(local, createdAt) };
  });
}

answerQuestions(async (message) => {
  const { folder, store: url, port, socket, workers } = questionShape.parse(message);
  const address = `unix:${path.join(folder, "worker.sock")}`;
  const store = await openPostgresStore({
    url,
    replica: `bench-${process.pid}`,
    advertise: `http://127.0.0.1:${port}`,
    clock: createSystemClock(),
  });
  const { ownership } = store;
  const launchers = [simulatedLauncher(socket, address)];
  const running = await openReplica({ store, ownership, launchers });
  await workerServerOf(running, address).start();
  await running.serve(served(workers));
  await running.start();
  return httpServerOf(running, ownership).start({ host: "127.0.0.1", port });
});
