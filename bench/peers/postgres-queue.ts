/** Peers: queues on PostgreSQL. Worker and client of each are separate processes, like ours. */
import path from "node:path";
import { z } from "zod";
import { Program } from "../asking.ts";
import { type Load, type LoadResult, loadResultShape } from "../load/closed-loop.ts";

export const queueNames = ["graphile-worker", "graphile-worker, gathered", "pg-boss"] as const;
export type QueueName = (typeof queueNames)[number];

/** A job of such a queue. The key is the client's own, which identifies its end. */
export const keyedJobShape = z.object({ key: z.string(), input: z.unknown() });
export type KeyedJob = z.infer<typeof keyedJobShape>;

/** The adapter of a peer's library. */
export interface PostgresQueue {
  /** Creates the queue's tables. Returns a function that submits a job and resolves when the job is committed. */
  connect(url: string): Promise<(job: KeyedJob) => Promise<unknown>>;
  /**
   * Works on this number of jobs at a time.
   * @param ended called with jobs after the queue has committed their end
   */
  work(url: string, concurrency: number, ended: (jobs: readonly KeyedJob[]) => void): Promise<void>;
}

interface PostgresQueuePeer extends AsyncDisposable {
  readonly processes: Readonly<Record<"worker" | "client", number>>;
  load(load: Load): Promise<LoadResult>;
}

/** @param folder folder of the socket between worker and client */
export async function startPostgresQueue(
  queue: QueueName,
  { url, folder, concurrency }: Record<"url" | "folder", string> & Record<"concurrency", number>,
): Promise<PostgresQueuePeer> {
  const parts = new AsyncDisposableStack();
  try {
    const client = parts.use(new Program("postgres-queue"));
    const worker = parts.use(new Program("postgres-queue"));
    const common = { queue, url, socket: path.join(folder, "ended.sock") };
    await client.ask(z.null(), { kind: "connect", ...common });
    await worker.ask(z.null(), { kind: "work", ...common, concurrency });
    return {
      processes: { worker: worker.pid, client: client.pid },
      load: (load) => client.ask(loadResultShape, { kind: "load", load }),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}
