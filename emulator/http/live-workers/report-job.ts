/** `POST /job-done/{worker}/{job}`: the result of a job, or a progress value (live). */
import { z } from "zod";
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { Failure } from "../../../runtime/protocol/failure.ts";
import { invalidRequest, ServiceError } from "../../core/service-error.ts";
import { beginsAsProgress, type JobReport, readJobReport } from "../../live/job-report.ts";
import type { LiveWorker } from "../../live/live-worker.ts";
import { jsonAnswer } from "../operation/answers/answer.ts";
import { anyJson } from "../schemas/contract.ts";
import { takenAnswer } from "../schemas/live-worker.ts";
import type { Call, Operation } from "../operation/operation.ts";
import { reportingWorker, type WorkerJobPath } from "./live-call.ts";
import { receiveReport, tooLarge } from "./receive-report.ts";

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
    const { jobId } = call.path;
    const report = await receivedReport(call, worker);
    if (report instanceof ServiceError) return refuse(worker, jobId, report);
    if (report.type === "progress") {
      worker?.transfers.goesOn(jobId);
      refuseIfTooLarge(call, report.value);
      await worker?.progress(jobId, report.value);
    } else {
      if (report.stopPod) worker?.replace();
      const { outcome } = report;
      if ("output" in outcome && isTooLarge(outcome.output))
        return refuse(worker, jobId, tooLarge());
      await worker?.finish(jobId, outcome);
    }
    return jsonAnswer({});
  },
};

/**
 * The report, or the reason why it cannot be a result.
 * @throws ServiceError for an invalid progress value; ClientGoneError
 */
async function receivedReport(
  call: Call<WorkerJobPath>,
  worker: LiveWorker | undefined,
): Promise<JobReport | ServiceError> {
  const received = await receiveReport(call, worker?.transfers);
  if (received instanceof ServiceError) return received;
  const { scan, body } = received;
  try {
    return readJobReport(scan, body);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    warn(call, error);
    if (beginsAsProgress(body)) throw error;
    return error;
  }
}

/** Logged here: the worker's own log often only says that the report was refused. */
function warn({ service, path }: Call<WorkerJobPath>, { message }: ServiceError): void {
  service.log.warn({ ...path }, `a worker's report about its job was refused: ${message}`);
}

/**
 * The job goes on and may report a smaller value.
 * @throws ServiceError invalid_request
 */
function refuseIfTooLarge(call: Call<WorkerJobPath>, { byteLength }: Uint8Array): void {
  const { progressMaxBytes } = LIMITS;
  if (byteLength <= progressMaxBytes) return;
  const problem = `output of a progress value must be at most ${progressMaxBytes} bytes of JSON; got ${byteLength}`;
  const refusal = invalidRequest([problem]);
  warn(call, refusal);
  throw refusal;
}

/** A refused result fails the job: its worker will not report again. */
async function refuse(
  worker: LiveWorker | undefined,
  jobId: string,
  refusal: ServiceError,
): Promise<never> {
  const failure: Failure = {
    type: "worker_refused",
    message: `the worker's result was refused: ${refusal.message}`,
  };
  await worker?.finish(jobId, { kind: "failed", failure });
  throw refusal;
}

function isTooLarge(output: Uint8Array | undefined): boolean {
  return (output?.byteLength ?? 0) > LIMITS.outputMaxBytes;
}
