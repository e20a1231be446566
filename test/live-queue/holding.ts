/** A worker of the live queue's double with one job, and what it can report about it. */
import type { HandedJob } from "../../runtime/protocol/outcome.ts";
import { bytes, chunk } from "../contract/job-source/connected.ts";
import { LiveListener, type LiveSourceOptions } from "./live-source.ts";
import type { LiveQueue } from "./live-queue.ts";
import type { QueueJob } from "./queue-job.ts";

/** @param output raw JSON */
export const completed = (output: string) =>
  ({ kind: "completed", output: bytes(output) }) as const;

/** The chunk of that index, which is its output as well. */
export const line = (index: number) =>
  chunk(index, `{"output":${index},"metrics":{"stream_index":${index}}}`);

export interface Holding {
  readonly worker: LiveListener;
  readonly held: HandedJob;
  readonly job: QueueJob;
}

/** A new job of the queue in the hands of a new worker, which the caller ends. */
export async function holding(queue: LiveQueue, options?: LiveSourceOptions): Promise<Holding> {
  const worker = LiveListener.start(queue, 1, options);
  const job = queue.submit();
  await worker.until(() => worker.jobs.length === 1);
  const [held] = worker.jobs;
  if (held === undefined) throw new Error("There is a job.");
  return { worker, held, job };
}
