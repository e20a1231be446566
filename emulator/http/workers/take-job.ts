/** `GET /job-take/{worker}`: one job as soon as there is one (live). */
import { z } from "zod";
import type { HandedJob } from "../../../runtime/protocol/outcome.ts";
import { jobInProgressParameter, saysIdle } from "../../core/input/query-parameters.ts";
import type { Piece } from "../answers/answer.ts";
import { json, noContent } from "../schemas/contract.ts";
import { takenJobSchema } from "../schemas/live-worker.ts";
import type { Operation } from "../operation.ts";
import { answerPoll, type WorkerPath } from "./live-call.ts";

export const takeJob: Operation<WorkerPath> = {
  methods: ["GET"],
  path: "/v2/:endpointId/job-take/:workerId",
  body: "skipped",
  access: "worker",
  contract: {
    tag: "workers",
    query: z.object({ job_in_progress: jobInProgressParameter }),
    answers: {
      200: json("A job; it is the worker's from now on.", takenJobSchema),
      204: noContent("There was none for a while."),
    },
    errors: ["endpoint_not_found", "wrong_endpoint_type", "storage_full"],
  },
  perform: (call) =>
    answerPoll<HandedJob>(call, {
      wait: (worker, signal) => worker.take({ count: 1, isIdle: saysIdle(call.query) }, signal),
      answer: (jobs) => ({ status: 200, pieces: jobs.flatMap(takenJobPieces) }),
      takeBack: (worker, jobs) => worker.handBack(jobs),
    }),
};

/** A job as workers get it. Its payloads stay the bytes they are. */
export function takenJobPieces({ jobId, input, webhook, s3Config }: HandedJob): readonly Piece[] {
  const pieces: Piece[] = [`{"id":${JSON.stringify(jobId)},"input":`, input];
  if (webhook !== undefined) pieces.push(`,"webhook":${JSON.stringify(webhook)}`);
  if (s3Config !== undefined) pieces.push(',"s3Config":', s3Config);
  return [...pieces, "}"];
}
