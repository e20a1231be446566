/** Operations on all jobs that match a filter. */
import {
  fromCursor,
  matchingSchema,
  readMatching,
  toCursor,
} from "../../core/input/job-filter-parameters.ts";
import { invalidRequest } from "../../core/service-error.ts";
import { changeMatching } from "../../engine/jobs/change-matching.ts";
import { jsonAnswer } from "../operation/answers/answer.ts";
import type { Operation } from "../operation/operation.ts";
import { readJsonBody } from "../operation/requests/json-body.ts";
import { json } from "../schemas/contract.ts";
import { changedJobsSchema } from "../schemas/job.ts";

/** No single replica has all jobs. */
const ONE_BY_ONE =
  "endpointId is required where several emulators share the store: only one endpoint's jobs can be changed at a time";

function changing(what: "cancel" | "retry"): Operation {
  return {
    methods: ["POST"],
    path: `/emulator/jobs/${what}`,
    owner: {
      find: async ({ request, response }) =>
        readMatching(await readJsonBody(request, response)).filter.endpointId,
    },
    access: "admin",
    body: "read",
    contract: {
      tag: "emulator",
      takes: matchingSchema,
      answers: { 200: json("The progress.", changedJobsSchema) },
      errors: ["endpoint_not_found", "wrong_endpoint_type", "storage_busy", "storage_full"],
    },
    async perform({ service, request, response }) {
      const { filter, max, cursor } = readMatching(await readJsonBody(request, response));
      if (service.ownership && filter.endpointId === undefined) throw invalidRequest([ONE_BY_ONE]);
      const bounds = { max, beforeSeq: fromCursor(cursor) };
      const { nextSeq, ...changed } = await changeMatching(service.engine, what, filter, bounds);
      const body = { ...changed, more: nextSeq !== undefined, next: toCursor(nextSeq) };
      return { ...jsonAnswer(body), subject: `${changed.done} jobs` };
    },
  };
}

export const MATCHING_OPERATIONS = {
  /** `POST /emulator/jobs/cancel`: cancels the jobs that match a filter, up to 1,000 per call. */
  cancelMatching: changing("cancel"),
  /** `POST /emulator/jobs/retry`: returns failed and timed out jobs that match a filter to the queue, up to 1,000 per call. */
  retryMatching: changing("retry"),
};
