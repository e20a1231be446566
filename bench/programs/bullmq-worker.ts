/** BullMQ's worker: concurrency 50, and each job's data is its result. */
import { Worker } from "bullmq";
import { z } from "zod";
import { answerQuestions } from "../asking.ts";
import { BULLMQ_CONCURRENCY, BULLMQ_QUEUE } from "../peers/bullmq-queue.ts";

const connectShape = z.object({ socket: z.string() });

answerQuestions(async (question) => {
  const { socket } = connectShape.parse(question);
  const worker = new Worker<unknown, unknown>(BULLMQ_QUEUE, async (job) => job.data, {
    connection: { path: socket, maxRetriesPerRequest: null },
    concurrency: BULLMQ_CONCURRENCY,
  });
  worker.on("error", (error) => console.error(`bullmq-worker: ${error.message}`));
  await worker.waitUntilReady();
  return null;
});
