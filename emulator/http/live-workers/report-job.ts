/** `POST /job-done/{worker}/{job}`: the job's result, or a progress value of it (live). */
import { z } from "zod";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Failure } from "../../../runtime/protocol/failure.ts";
import type { ServiceError } from "../../core/service-error.ts";
import { type JobReport, readJobReport } from "../../live/job-report.ts";
import type { LiveWorker } from "../../live/live-worker.ts";
import { jsonAnswer } from "../answer.ts";
import { anyJson } from "../contract/contract.ts";
import { takenAnswer } from "../contract/live-worker.ts";
import type { Call, Operation } from "../operation.ts";
import { reportingWorker, type WorkerJobPath } from "./live-call.ts";
import { type ReceivedReport, receiveReport, tooLarge } from "./receive-report.ts";

export const reportJob: Operation<WorkerJobPath> = {
  methods: ["POST"],
  path: "/v2/:endpointId/job-done/:workerId/:jobId",
  body: "read",
  access: "worker",
  contract: {
    tag: "workers",
    takes: z.looseObject({
      output: anyJson().optional(),
      error: anyJson().optional(),
      status: z.string().optional(),
      stopPod: z.boolean().optional(),
    }),
    answers: { 200: takenAnswer },
    errors: ["storage_full"],
  },
  async perform(call) {
    const worker = reportingWorker(call);
    const received = await receiveReport(call);
    const { jobId } = call.path;
    if (!("scan" in received)) return refuse(worker, jobId, received);
    const report = readOrWarn(call, received);
    if (report.type === "progress") await worker?.progress(jobId, report.value);
    else {
      if (report.stopPod) worker?.replace();
      const { outcome } = report;
      if ("output" in outcome && isTooLarge(outcome.output))
        return refuse(worker, jobId, tooLarge());
      await worker?.finish(jobId, outcome);
    }
    return jsonAnswer({});
  },
};

/** A result that cannot be taken is the job's end all the same: its worker says no more of it. */
async function refuse(
  worker: LiveWorker | undefined,
  jobId: string,
  refusal: ServiceError,
): Promise<never> {
  const failure: Failure = {
    type: "worker_refused",
    message: `the worker's result is too large: ${refusal.message}`,
  };
  await worker?.finish(jobId, { kind: "failed", failure });
  throw refusal;
}

function isTooLarge(output: Uint8Array | undefined): boolean {
  return (output?.byteLength ?? 0) > LIMITS.outputMaxBytes;
}

/** The worker's own log often says no more than that it was refused. */
function readOrWarn(call: Call<WorkerJobPath>, { scan, body }: ReceivedReport): JobReport {
  try {
    return readJobReport(scan, body);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const { service, path } = call;
    service.log.warn({ ...path }, `what a worker posted of its job was refused: ${reason}`);
    throw error;
  }
}
