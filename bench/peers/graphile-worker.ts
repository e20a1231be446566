/**
 * Peer: graphile-worker with the settings of its documentation on performance: a local queue of 500, and ends of jobs gathered
 * within a turn of the event loop. It keeps no results, and deletes the row of a successful job.
 */
import { Logger, makeWorkerUtils, run, type WorkerUtils } from "graphile-worker";
import pg from "pg";
import { z } from "zod";
import { batchedCalls } from "./batched-calls.ts";
import { keyedJobShape, type KeyedJob, type PostgresQueue } from "./postgres-queue.ts";

const TASK = "echo";
const LOCAL_QUEUE = 500;
/** Number of submissions per commit: 5, 10 and 50 were no faster on two cores. */
const CLIENT_POOL = 20;
/** The statement that deletes jobs by their ids. */
const deletionShape = z.object({
  name: z.string().startsWith("complete_job"),
  values: z.array(z.union([z.string(), z.array(z.string())])),
});
const logger = new Logger(() => () => undefined);

/** The library does not report the commit of an end: the statement that deletes the rows is then answered. */
function poolThatTells(
  max: number,
  connectionString: string,
  deleted: (ids: readonly string[]) => void,
): pg.Pool {
  const pool = new pg.Pool({ connectionString, max });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: readonly unknown[]) => Promise<unknown>;
    const telling = async (...args: readonly unknown[]): Promise<unknown> => {
      const answer = await query(...args);
      const deletion = deletionShape.safeParse(args[0]).data;
      if (deletion !== undefined) deleted(deletion.values.flat());
      return answer;
    };
    Object.assign(client, { query: telling });
  });
  return pool;
}

async function connectedUtils(connectionString: string): Promise<WorkerUtils> {
  const utils = await makeWorkerUtils({ connectionString, maxPoolSize: CLIENT_POOL, logger });
  await utils.migrate();
  return utils;
}

export const graphileWorker: PostgresQueue = {
  async connect(url) {
    const utils = await connectedUtils(url);
    return (job) => utils.addJob(TASK, job);
  },

  async work(connectionString, concurrency, ended) {
    const done = new Map<string, KeyedJob>();
    const pgPool = poolThatTells(concurrency + 2, connectionString, (ids) => {
      ended(
        ids.flatMap((id) => {
          const job = done.get(id);
          done.delete(id);
          return job ?? [];
        }),
      );
    });
    await run({
      pgPool,
      logger,
      noHandleSignals: true,
      taskList: {
        [TASK]: async (payload, { job }) => {
          done.set(job.id, keyedJobShape.parse(payload));
        },
      },
      preset: {
        worker: {
          concurrentJobs: concurrency,
          localQueue: { size: LOCAL_QUEUE },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
    });
  },
};

/** Submissions of all clients collected by one process, many per statement. */
export const graphileGathered: PostgresQueue = {
  ...graphileWorker,
  async connect(url) {
    const utils = await connectedUtils(url);
    return batchedCalls((jobs) =>
      utils.addJobs(jobs.map((payload) => ({ identifier: TASK, payload }))),
    );
  },
};
