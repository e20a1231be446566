/** BullMQ's worker: each job's data is its result. */
import { Worker } from "bullmq";
import { z } from "zod";
import { answerQuestions } from "../asking.ts";
import { BULLMQ_QUEUE } from "../peers/bullmq-queue.ts";

const connectShape = z.object({ socket: z.string(), concurrency: z.number() });

answerQuestions(async (question) => {
  const { socket, concurrency } = connectShape.parse(question);
  const worker = new Worker<unknown, unknown>(BULLMQ_QUEUE, async (job) => job.data, {
    connection: { path: socket, maxRetriesPerRequest: null },
    concurrency,
  });
  worker.on("error", (error) => console.error(`bullmq-worker: ${error.message}`));
  await worker.waitUntilReady();
  return null;
});
