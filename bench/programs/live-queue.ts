/** A bare queue of the live dialect in memory, in a process of its own, with the built `sv-worker` as its worker. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { z } from "zod";
import { answerQuestions } from "../asking.ts";
import { jobInput } from "../payload.ts";
import { watchOver } from "../processes.ts";

const program = path.resolve(import.meta.dirname, "../../dist/runtime/sv-worker.cjs");

const questionShape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("open"), handler: z.string() }),
  z.object({ kind: z.literal("throughput"), durationMs: z.number() }),
  z.object({ kind: z.literal("pickup") }),
]);

const resultShape = z.object({ output: z.unknown() });
const invokedShape = z.object({ output: z.object({ invokedAt: z.string() }) });

/** The held poll for a job. */
let poll: ServerResponse | undefined;
let polled = Promise.withResolvers<void>();
/** True: every poll is answered at once. */
let isFull = false;
let given = 0;
let done = 0;
/** Resolves when all given jobs have their results. */
let settled = Promise.withResolvers<void>();
let result = Promise.withResolvers<string>();

const server = createServer((request, response) => {
  const url = request.url ?? "";
  if (url.startsWith("/job-stop/")) return;
  if (url.startsWith("/job-take/")) {
    poll = response;
    polled.resolve();
    if (isFull) give();
    return;
  }
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    response.end();
    if (url.startsWith("/job-done/")) take(Buffer.concat(parts).toString());
  });
});

function take(text: string): void {
  resultShape.parse(JSON.parse(text));
  done += 1;
  if (done === given) settled.resolve();
  result.resolve(text);
}

function give(): void {
  given += 1;
  settled = Promise.withResolvers();
  poll?.writeHead(200, { "content-type": "application/json" });
  poll?.end(JSON.stringify({ id: `job-${given}`, input: jobInput }));
  poll = undefined;
  polled = Promise.withResolvers();
}

async function open(handler: string): Promise<void> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const worker = spawn(process.execPath, [program, handler], {
    // The worker ends with this process, however this process ends.
    stdio: ["pipe", "ignore", "ignore"],
    env: {
      ...process.env,
      SV_EXIT_ON_STDIN_END: "1",
      RUNPOD_WEBHOOK_GET_JOB: `${base}/job-take/$ID?`,
      RUNPOD_WEBHOOK_POST_OUTPUT: `${base}/job-done/$RUNPOD_POD_ID/$ID?`,
      RUNPOD_WEBHOOK_POST_STREAM: `${base}/job-stream/$RUNPOD_POD_ID/$ID?`,
      RUNPOD_WEBHOOK_PING: `${base}/ping/$RUNPOD_POD_ID`,
      RUNPOD_AI_API_KEY: "key",
      RUNPOD_POD_ID: "worker-1",
    },
  });
  watchOver(worker);
  const gone = once(worker, "exit").then(([code]: unknown[]) => {
    throw new Error(`The worker ended with ${String(code)} before it did a job.`);
  });
  await Promise.race([pickupMs(), gone]);
}

/** Results per second. */
async function throughput(durationMs: number): Promise<number> {
  const before = done;
  const begun = performance.now();
  isFull = true;
  if (poll !== undefined) give();
  await new Promise((resolve) => setTimeout(resolve, durationMs));
  isFull = false;
  const perSecond = ((done - before) * 1_000) / (performance.now() - begun);
  // A worker that polls again has taken its last job, and reports the result soon after.
  await polled.promise;
  if (done < given) await settled.promise;
  return perSecond;
}

/** Time from the answer with a job to the first statement of the handler. */
async function pickupMs(): Promise<number> {
  await polled.promise;
  result = Promise.withResolvers();
  const givenAt = process.hrtime.bigint();
  give();
  const { output } = invokedShape.parse(JSON.parse(await result.promise));
  return Number(BigInt(output.invokedAt) - givenAt) / 1e6;
}

answerQuestions(async (question) => {
  const asked = questionShape.parse(question);
  switch (asked.kind) {
    case "open":
      await open(asked.handler);
      return null;
    case "throughput":
      return throughput(asked.durationMs);
    case "pickup":
      return pickupMs();
  }
});
