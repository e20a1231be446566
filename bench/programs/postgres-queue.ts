/** Client or worker of a queue on PostgreSQL: submits jobs and waits for their ends, a fixed number at a time, or runs them. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { answerQuestions } from "../asking.ts";
import { closedLoop, loadShape } from "../load/closed-loop.ts";
import { jobInput } from "../payload.ts";
import { EndedJobs, endedJobsTo } from "../peers/ended-jobs.ts";
import { graphileGathered, graphileWorker } from "../peers/graphile-worker.ts";
import { pgBoss } from "../peers/pg-boss.ts";
import { type PostgresQueue, type QueueName, queueNames } from "../peers/postgres-queue.ts";

const QUEUES: Readonly<Record<QueueName, PostgresQueue>> = {
  "graphile-worker": graphileWorker,
  "graphile-worker, gathered": graphileGathered,
  "pg-boss": pgBoss,
};
const where = { queue: z.enum(queueNames), url: z.string(), socket: z.string() };
const questionShape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("connect"), ...where }),
  z.object({ kind: z.literal("work"), ...where, concurrency: z.number() }),
  z.object({ kind: z.literal("load"), load: loadShape }),
]);
const resultShape = z.object({ text: z.literal(jobInput.text) });

let once: (() => Promise<void>) | undefined;

answerQuestions(async (message) => {
  const question = questionShape.parse(message);
  switch (question.kind) {
    case "connect": {
      const ended = new EndedJobs();
      await ended.listen(question.socket);
      const submit = await QUEUES[question.queue].connect(question.url);
      once = async () => {
        const key = randomUUID();
        const end = ended.of(key);
        await submit({ key, input: jobInput });
        resultShape.parse((await end).input);
      };
      return null;
    }
    case "work": {
      const ended = await endedJobsTo(question.socket);
      await QUEUES[question.queue].work(question.url, question.concurrency, ended);
      return null;
    }
    case "load":
      if (once === undefined) throw new Error("The client is not connected.");
      return closedLoop(question.load, once);
  }
});
