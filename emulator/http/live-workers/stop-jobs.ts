/** `GET /job-stop/{worker}`: jobs that the worker has to stop, as soon as there are any (live). */
import { z } from "zod";
import { answered, json, noContent } from "../schemas/contract.ts";
import type { Operation } from "../operation/operation.ts";
import { answerPoll, type WorkerPath } from "./live-call.ts";

export const stopJobs: Operation<WorkerPath> = {
  methods: ["GET"],
  path: "/v2/:endpointId/job-stop/:workerId",
  access: "worker",
  contract: {
    tag: "workers",
    answers: {
      200: json(
        "Jobs that the worker has to stop; it must not report them any more.",
        answered("JobsToStop", { jobsToStop: z.array(z.string()).min(1) }),
      ),
      204: noContent("No job for a while."),
    },
    errors: ["endpoint_not_found", "wrong_endpoint_type", "storage_full"],
  },
  perform: (call) =>
    answerPoll<string>(call, {
      wait: (worker, signal) => worker.jobsToStop(signal),
      answer: (jobsToStop) => ({ status: 200, pieces: [JSON.stringify({ jobsToStop })] }),
      takeBack: (worker, jobIds) => worker.stopAgain(jobIds),
    }),
};
