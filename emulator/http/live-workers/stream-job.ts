/** `POST /job-stream/{worker}/{job}`: yields of the job's generator (live). */
import { z } from "zod";
import { readYield } from "../../live/job-report.ts";
import { jsonAnswer } from "../operation/answers/answer.ts";
import { anyJson } from "../schemas/contract.ts";
import { takenAnswer } from "../schemas/live-worker.ts";
import type { Operation } from "../operation/operation.ts";
import { reportingWorker, type WorkerJobPath } from "./live-call.ts";
import { receiveReport } from "./receive-report.ts";

export const streamJob: Operation<WorkerJobPath> = {
  methods: ["POST"],
  path: "/v2/:endpointId/job-stream/:workerId/:jobId",
  body: "read",
  access: "worker",
  contract: {
    tag: "workers",
    takes: z.looseObject({ output: anyJson() }),
    answers: { 200: takenAnswer },
    errors: ["storage_full"],
  },
  async perform(call) {
    const worker = reportingWorker(call);
    const received = await receiveReport(call, worker?.transfers);
    worker?.transfers.goesOn(call.path.jobId);
    if (!("scan" in received)) throw received;
    await worker?.stream(call.path.jobId, readYield(received.scan, received.body));
    return jsonAnswer({});
  },
};
