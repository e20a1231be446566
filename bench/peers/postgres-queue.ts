/** Peers: queues on PostgreSQL; worker and client of each are processes of their own, as ours are. */
import path from "node:path";
import { z } from "zod";
import { Program } from "../asking.ts";
import { type Load, type LoadResult, loadResultShape } from "../load/closed-loop.ts";

export const queueNames = ["graphile-worker", "graphile-worker, gathered", "pg-boss"] as const;
export type QueueName = (typeof queueNames)[number];

/** A job as such a queue has it. The key is the client's own, by which it is told of the end. */
export const keyedJobShape = z.object({ key: z.string(), input: z.unknown() });
export type KeyedJob = z.infer<typeof keyedJobShape>;

/** What a peer's adapter does with its library. */
export interface PostgresQueue {
  /** Makes the queue's tables. Answers what submits a job and resolves when that is committed. */
  connect(url: string): Promise<(job: KeyedJob) => Promise<unknown>>;
  /** Works on so many jobs at a time. @param ended is told of jobs once the queue has committed their end */
  work(url: string, concurrency: number, ended: (jobs: readonly KeyedJob[]) => void): Promise<void>;
}

interface PostgresQueuePeer extends AsyncDisposable {
  readonly processes: Readonly<Record<"worker" | "client", number>>;
  load(load: Load): Promise<LoadResult>;
}

/** @param folder for the socket by which the worker tells the client of ends */
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
