/**
 * BullMQ's client: adds jobs and waits for their results, a fixed number at a time or for requests over HTTP. It works in the fastest
 * way: it listens to the queue's events by job id, without the further request to Redis that `waitUntilFinished` makes for each job,
 * and drops finished jobs at once.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { Queue, QueueEvents } from "bullmq";
import { z } from "zod";
import { answerQuestions } from "../asking.ts";
import { closedLoop, loadShape } from "../load/closed-loop.ts";
import { BULLMQ_QUEUE } from "../peers/bullmq-queue.ts";
import { jobInput } from "../payload.ts";

const submissionShape = z.object({ input: z.unknown() });
const questionShape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("connect"), socket: z.string() }),
  z.object({ kind: z.literal("load"), load: loadShape }),
  z.object({ kind: z.literal("serve") }),
]);

type Run = (data: unknown) => Promise<unknown>;

let run: Run | undefined;

async function connect(socket: string): Promise<void> {
  const queue = new Queue(BULLMQ_QUEUE, { connection: { path: socket } });
  const events = new QueueEvents(BULLMQ_QUEUE, {
    connection: { path: socket, maxRetriesPerRequest: null },
  });
  const waiting = new Map<string, PromiseWithResolvers<unknown>>();
  const take = (jobId: string): PromiseWithResolvers<unknown> | undefined => {
    const waiter = waiting.get(jobId);
    waiting.delete(jobId);
    return waiter;
  };
  events.on("completed", ({ jobId, returnvalue }) => take(jobId)?.resolve(returnvalue));
  events.on("failed", ({ jobId, failedReason }) => take(jobId)?.reject(new Error(failedReason)));
  await Promise.all([queue.waitUntilReady(), events.waitUntilReady()]);
  run = async (data) => {
    const jobId = randomUUID();
    const waiter = Promise.withResolvers<unknown>();
    waiting.set(jobId, waiter);
    await queue.add("echo", data, { jobId, removeOnComplete: true });
    return waiter.promise;
  };
}

/** Answers each submission with the job's result. Returns the origin. */
async function serve(job: Run): Promise<string> {
  const answer = async (request: IncomingMessage): Promise<string> => {
    const { input } = submissionShape.parse(JSON.parse(await text(request)));
    return JSON.stringify({ status: "COMPLETED", output: await job(input) });
  };
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    answer(request).then(
      (body) => response.end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}

answerQuestions(async (message) => {
  const question = questionShape.parse(message);
  if (question.kind === "connect") {
    await connect(question.socket);
    return null;
  }
  if (run === undefined) throw new Error("The client is not connected.");
  if (question.kind === "serve") return serve(run);
  const job = run;
  return closedLoop(question.load, async () => void (await job(jobInput)));
});
