/** Peer: BullMQ on Redis. Its worker and its client are separate processes, like ours. */
import { z } from "zod";
import { Program } from "../asking.ts";
import { type Load, type LoadResult, loadResultShape } from "../load/closed-loop.ts";
import { type AppendFsync, startRedis } from "./redis-server.ts";

export interface BullMq extends AsyncDisposable {
  readonly processes: Readonly<Record<"redis" | "worker" | "client", number>>;
  load(load: Load): Promise<LoadResult>;
  /** Opens a bare HTTP server in the client's process, which answers a submission with the job's result. Returns its origin. */
  serve(): Promise<string>;
  /** Median time of the worker between two jobs since the last call, ms. */
  gapMs(): Promise<number>;
}

export interface BullMqSettings {
  /** Syncs every write, as our store does. */
  readonly appendfsync: AppendFsync;
  readonly concurrency: number;
}

/** @throws Error when there is no Redis */
async function startBullMq(
  folder: string,
  { appendfsync, concurrency }: BullMqSettings,
): Promise<BullMq> {
  const parts = new AsyncDisposableStack();
  try {
    const redis = parts.use(await startRedis(folder, appendfsync));
    const worker = parts.use(new Program("bullmq-worker"));
    const client = parts.use(new Program("bullmq-client"));
    await worker.ask(z.null(), { kind: "connect", socket: redis.socket, concurrency });
    await client.ask(z.null(), { kind: "connect", socket: redis.socket });
    return {
      processes: { redis: redis.pid, worker: worker.pid, client: client.pid },
      gapMs: () => worker.ask(z.number(), { kind: "gap" }),
      serve: () => client.ask(z.string(), { kind: "serve" }),
      load: (load) => client.ask(loadResultShape, { kind: "load", load }),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

/** BullMQ, or the reason why there is no Redis. */
export async function findBullMq(
  folder: string,
  settings: BullMqSettings,
): Promise<BullMq | string> {
  try {
    return await startBullMq(folder, settings);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
