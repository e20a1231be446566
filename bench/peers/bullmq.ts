/** Peer: BullMQ on Redis, durable as we are; its worker and its client are processes of their own, as ours are. */
import { z } from "zod";
import { Program } from "../asking.ts";
import { type Load, type LoadResult, loadResultShape } from "../load/closed-loop.ts";
import { startRedis } from "./redis-server.ts";

export interface BullMq extends AsyncDisposable {
  readonly pids: { readonly redis: number; readonly worker: number; readonly client: number };
  load(load: Load): Promise<LoadResult>;
}

/** @throws Error when there is no Redis */
export async function startBullMq(folder: string): Promise<BullMq> {
  const parts = new AsyncDisposableStack();
  try {
    const redis = parts.use(await startRedis(folder));
    const worker = parts.use(new Program("bullmq-worker"));
    const client = parts.use(new Program("bullmq-client"));
    await worker.ask(z.null(), { socket: redis.socket });
    await client.ask(z.null(), { kind: "connect", socket: redis.socket });
    return {
      pids: { redis: redis.pid, worker: worker.pid, client: client.pid },
      load: (load) => client.ask(loadResultShape, { kind: "load", load }),
      [Symbol.asyncDispose]: () => parts.disposeAsync(),
    };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}
