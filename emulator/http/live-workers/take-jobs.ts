/** `GET /job-take/{worker}` and `GET /job-take-batch/{worker}`: one job, or several, as soon as there are any (live). */
import { z } from "zod";
import type { HandedJob } from "../../../runtime/protocol/outcome.ts";
import {
  batchSizeParameter,
  jobInProgressParameter,
  parse,
  saysIdle,
} from "../../core/input/query-parameters.ts";
import type { Answer, Piece } from "../operation/answers/answer.ts";
import { json, noContent } from "../schemas/contract.ts";
import { takenJobSchema } from "../schemas/live-worker.ts";
import type { Call, Operation } from "../operation/operation.ts";
import { answerPoll, type WorkerPath } from "./live-call.ts";

const NONE = noContent("No job for a while.");
const ERRORS = ["endpoint_not_found", "wrong_endpoint_type", "storage_full"] as const;

export const takeJob: Operation<WorkerPath> = {
  methods: ["GET"],
  path: "/v2/:endpointId/job-take/:workerId",
  access: "worker",
  contract: {
    tag: "workers",
    query: z.object({ job_in_progress: jobInProgressParameter }),
    answers: { 200: json("A job, handed over to the worker.", takenJobSchema), 204: NONE },
    errors: ERRORS,
  },
  perform: (call) =>
    poll(
      call,
      () => 1,
      (jobs) => jobs.flatMap(takenJobPieces),
    ),
};

export const takeJobs: Operation<WorkerPath> = {
  methods: ["GET"],
  path: "/v2/:endpointId/job-take-batch/:workerId",
  access: "worker",
  contract: {
    tag: "workers",
    query: z.object({ batch_size: batchSizeParameter, job_in_progress: jobInProgressParameter }),
    answers: {
      200: json("The jobs, handed over to the worker.", z.array(takenJobSchema)),
      204: NONE,
    },
    errors: ERRORS,
  },
  perform: (call) =>
    poll(
      call,
      () => parse(call.query, "batch_size", batchSizeParameter),
      (jobs) => {
        const listed = jobs.flatMap((job, at) => [at === 0 ? "[" : ",", ...takenJobPieces(job)]);
        return [...listed, "]"];
      },
    ),
};

function poll(
  call: Call<WorkerPath>,
  count: () => number,
  pieces: (jobs: readonly HandedJob[]) => readonly Piece[],
): Promise<Answer> {
  return answerPoll<HandedJob>(call, {
    wait: async (worker, signal) =>
      worker.take({ count: count(), isIdle: saysIdle(call.query) }, signal),
    answer: (jobs) => ({ status: 200, pieces: pieces(jobs) }),
    takeBack: (worker, jobs) => worker.handBack(jobs),
    written: (worker, jobs) => worker.transfers.written(jobs),
  });
}

/** A job for a worker. Payloads are passed on as bytes. */
function takenJobPieces({ jobId, input, webhook, s3Config }: HandedJob): readonly Piece[] {
  const pieces: Piece[] = [`{"id":${JSON.stringify(jobId)},"input":`, input];
  if (webhook !== undefined) pieces.push(`,"webhook":${JSON.stringify(webhook)}`);
  if (s3Config !== undefined) pieces.push(',"s3Config":', s3Config);
  return [...pieces, "}"];
}
