/** `GET /ping/{worker}`: a worker reports that it is alive with these jobs, or that it cannot work (live). */
import { z } from "zod";
import { jsonAnswer } from "../operation/answers/answer.ts";
import { json } from "../schemas/contract.ts";
import { takenSchema } from "../schemas/live-worker.ts";
import type { QueryParameters } from "../../core/input/query-parameters.ts";
import type { Operation } from "../operation/operation.ts";
import { callingWorker, type WorkerPath } from "./live-call.ts";

export const ping: Operation<WorkerPath> = {
  methods: ["GET"],
  path: "/v2/:endpointId/ping/:workerId",
  access: "worker",
  contract: {
    tag: "workers",
    query: z.object({
      job_id: z
        .string()
        .optional()
        .meta({ description: "Ids of the worker's jobs, separated by commas." }),
      status: z
        .string()
        .optional()
        .meta({ description: "`unhealthy`: the worker cannot take jobs." }),
      check: z.string().optional().meta({ description: "The failed check." }),
      reason: z.string().optional().meta({ description: "Why the worker cannot take jobs." }),
      runpod_version: z.string().optional().meta({ description: "Version of the worker's SDK." }),
    }),
    answers: { 200: json("The leases of the named jobs are renewed.", takenSchema) },
    errors: ["endpoint_not_found", "wrong_endpoint_type", "storage_full"],
  },
  async perform(call) {
    const { query } = call;
    const worker = callingWorker(call);
    if (text(query, "status") === "unhealthy") {
      await worker.initFailed({ type: "unhandled_error", message: complaint(query) });
    } else {
      await worker.ping(text(query, "job_id").split(",").filter(Boolean));
    }
    return jsonAnswer({});
  },
};

function complaint(query: QueryParameters): string {
  const [check, reason] = [text(query, "check"), text(query, "reason")];
  const failed =
    check === "" ? "the worker says that it is unhealthy" : `the check ${check} failed`;
  return reason === "" ? failed : `${failed}: ${reason}`;
}

/** Text of the parameter; empty if it is absent or repeated. */
function text(query: QueryParameters, name: string): string {
  const value = query[name];
  return typeof value === "string" ? value : "";
}
