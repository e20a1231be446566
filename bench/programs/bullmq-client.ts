/**
 * BullMQ's client: adds jobs and waits for their results, a fixed number at a time. It works in the fastest way: it listens to
 * the queue's events by job id, without the further request to Redis that `waitUntilFinished` makes for each job, and drops
 * finished jobs at once.
 */
import { randomUUID } from "node:crypto";
import { Queue, QueueEvents } from "bullmq";
import { z } from "zod";
import { answerQuestions } from "../asking.ts";
import { closedLoop, loadShape } from "../load/closed-loop.ts";
import { BULLMQ_QUEUE } from "../peers/bullmq-queue.ts";
import { jobInput } from "../payload.ts";

const questionShape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("connect"), socket: z.string() }),
  z.object({ kind: z.literal("load"), load: loadShape }),
]);

let once: (() => Promise<void>) | undefined;

async function connect(socket: string): Promise<void> {
  const queue = new Queue(BULLMQ_QUEUE, { connection: { path: socket } });
  const events = new QueueEvents(BULLMQ_QUEUE, {
    connection: { path: socket, maxRetriesPerRequest: null },
  });
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  const settle = (jobId: string, error?: Error): void => {
    const waiter = waiting.get(jobId);
    waiting.delete(jobId);
    if (error === undefined) waiter?.resolve();
    else waiter?.reject(error);
  };
  events.on("completed", ({ jobId }) => settle(jobId));
  events.on("failed", ({ jobId, failedReason }) => settle(jobId, new Error(failedReason)));
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
  once = async () => {
    const jobId = randomUUID();
    const waiter = Promise.withResolvers<void>();
    waiting.set(jobId, waiter);
    await queue.add("echo", jobInput, { jobId, removeOnComplete: true });
    await waiter.promise;
  };
}

answerQuestions(async (message) => {
  const question = questionShape.parse(message);
  if (question.kind === "connect") {
    await connect(question.socket);
    return null;
  }
  if (once === undefined) throw new Error("The client is not connected.");
  return closedLoop(question.load, once);
});
