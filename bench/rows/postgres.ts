/** Row: jobs per second of the service on PostgreSQL, beside queues on the same server and beside its own SQLite. */
import { type Bench, newFolder } from "../bench.ts";
import { type Contestant, contest, ofEmulator } from "../contest.ts";
import type { Line } from "../line.ts";
import { type PostgresServer, startPostgresServer } from "../peers/postgres-server.ts";
import { type QueueName, startPostgresQueue } from "../peers/postgres-queue.ts";
import type { Row } from "./row.ts";

/** Wanted ratio of jobs per second to a queue with one statement per submission, like our one request. */
const LEAST = 2;
const CONCURRENCY = 50;
const TASK = ["runsync", "echo"] as const;

async function measure(bench: Bench): Promise<readonly Line[]> {
  await using parts = new AsyncDisposableStack();
  const server = parts.use(await startPostgresServer(bench));
  const store = await server.database("ours");
  const ours = onServer(server, await ofEmulator(bench, parts, TASK, { store }));
  const sqlite = await ofEmulator(bench, parts, TASK);
  const ofQueue = async (name: QueueName): Promise<Contestant> => {
    const url = await server.database(name);
    const folder = newFolder(bench, "queue");
    const queue = await startPostgresQueue(name, { url, folder, concurrency: CONCURRENCY });
    return onServer(server, parts.use(queue));
  };
  const rivals = [
    { name: "graphile-worker", contestant: await ofQueue("graphile-worker"), least: LEAST },
    { name: "pg-boss", contestant: await ofQueue("pg-boss"), least: LEAST },
    { name: "graphile-worker, gathered", contestant: await ofQueue("graphile-worker, gathered") },
    { name: "ours on SQLite", contestant: sqlite },
  ];
  const lines: Line[] = [];
  for (const inFlight of [50, 500]) {
    const what = `/runsync on PostgreSQL, ${inFlight} in flight`;
    lines.push(...(await contest(bench, { what, unit: "jobs/s", inFlight, ours, rivals })));
  }
  return lines;
}

/** The server serves only the measured subject. */
function onServer(server: PostgresServer, contestant: Contestant): Contestant {
  const processes = { ...contestant.processes, PostgreSQL: { withChildren: server.pid } };
  return { ...contestant, processes };
}

export const postgres: Row = {
  id: "postgres",
  title: "Jobs per second on PostgreSQL: 200 B, durable, one worker with concurrency 50",
  measure,
};
