/** `GET /job-take-batch/{worker}`: several jobs as soon as there are any (live). */
import { z } from "zod";
import type { HandedJob } from "../../../runtime/protocol/outcome.ts";
import {
  batchSizeParameter,
  jobInProgressParameter,
  parseBatchSize,
  saysIdle,
} from "../../core/input/query-parameters.ts";
import { json, noContent } from "../schemas/contract.ts";
import { takenJobSchema } from "../schemas/live-worker.ts";
import type { Operation } from "../operation.ts";
import { answerPoll, type WorkerPath } from "./live-call.ts";
import { takenJobPieces } from "./take-job.ts";

export const takeJobs: Operation<WorkerPath> = {
  methods: ["GET"],
  path: "/v2/:endpointId/job-take-batch/:workerId",
  body: "skipped",
  access: "worker",
  contract: {
    tag: "workers",
    query: z.object({ batch_size: batchSizeParameter, job_in_progress: jobInProgressParameter }),
    answers: {
      200: json("The jobs; they are the worker's from now on.", z.array(takenJobSchema)),
      204: noContent("There was none for a while."),
    },
    errors: ["endpoint_not_found", "wrong_endpoint_type", "storage_full"],
  },
  perform: (call) =>
    answerPoll<HandedJob>(call, {
      wait: async (worker, signal) => {
        const count = parseBatchSize(call.query);
        return worker.take({ count, isIdle: saysIdle(call.query) }, signal);
      },
      answer: (jobs) => {
        const listed = jobs.flatMap((job, at) => [at === 0 ? "[" : ",", ...takenJobPieces(job)]);
        return { status: 200, pieces: [...listed, "]"] };
      },
      takeBack: (worker, jobs) => worker.handBack(jobs),
    }),
};
