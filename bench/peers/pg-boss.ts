/**
 * Peer: pg-boss with the settings of its documentation for low latency and many jobs. NOTIFY wakes it, it fetches and ends jobs
 * in batches, and stores each result.
 */
import { PgBoss } from "pg-boss";
import { keyedJobShape, type PostgresQueue } from "./postgres-queue.ts";

const QUEUE = "echo";
/** Number of submissions per commit: 5, 10 and 50 were no faster on two cores. */
const CLIENT_POOL = 20;

async function start(connectionString: string, max: number): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, max, useListenNotify: true });
  boss.on("error", (error) => console.error(`pg-boss: ${error.message}`));
  await boss.start();
  await boss.createQueue(QUEUE, { notify: true });
  return boss;
}

/** The library does not report the commit of ends: the statement that names a job of the batch is then answered. */
function tellWhenCommitted(boss: PgBoss): (id: string, committed: () => void) => void {
  const waiting = new Map<string, () => void>();
  const db = boss.getDb();
  const execute = db.executeSql.bind(db);
  db.executeSql = async (text, values = []) => {
    const answer = await execute(text, values);
    for (const [id, committed] of waiting) {
      if (!values.some((value) => typeof value === "string" && value.includes(id))) continue;
      waiting.delete(id);
      committed();
    }
    return answer;
  };
  return (id, committed) => void waiting.set(id, committed);
}

export const pgBoss: PostgresQueue = {
  async connect(url) {
    const boss = await start(url, CLIENT_POOL);
    return (job) => boss.send(QUEUE, job);
  },

  async work(url, concurrency, ended) {
    const boss = await start(url, concurrency);
    const whenCommitted = tellWhenCommitted(boss);
    await boss.work(
      QUEUE,
      { batchSize: concurrency, burstWhenBatchFull: true, perJobResults: true },
      async (batch) => {
        const jobs = batch.map(({ data }) => keyedJobShape.parse(data));
        const [first] = batch;
        if (first !== undefined) whenCommitted(first.id, () => ended(jobs));
        return batch.map(({ id, data }) => ({ id, status: "completed" as const, output: data }));
      },
    );
  },
};
