/** BullMQ's worker: each job's data is its result. */
import { type Job, Worker } from "bullmq";
import { z } from "zod";
import { answerQuestions } from "../asking.ts";
import { Gaps } from "../gaps.ts";
import { BULLMQ_QUEUE } from "../peers/bullmq-queue.ts";

const questionShape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("connect"), socket: z.string(), concurrency: z.number() }),
  z.object({ kind: z.literal("gap") }),
]);

const gaps = new Gaps();

answerQuestions(async (message) => {
  const question = questionShape.parse(message);
  if (question.kind === "gap") return gaps.take();
  const { socket, concurrency } = question;
  const process = async (job: Job<unknown, unknown>): Promise<unknown> => {
    gaps.began();
    gaps.ended();
    return job.data;
  };
  const worker = new Worker<unknown, unknown>(BULLMQ_QUEUE, process, {
    connection: { path: socket, maxRetriesPerRequest: null },
    concurrency,
  });
  worker.on("error", (error) => console.error(`bullmq-worker: ${error.message}`));
  await worker.waitUntilReady();
  return null;
});
