/** The dialect of the contract (spec), with our error shape: the one where paths have no base. */
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { framed, jobFrame } from "../../../core/jobs/job-body.ts";
import { ERROR_CODES } from "../../../core/service-error.ts";
import { errorSchema } from "../../schemas/error.ts";
import type { Dialect, RefusalShape } from "../dialect.ts";
import { chunkList, streamStatus } from "./chunk-list.ts";

const REFUSAL: RefusalShape = {
  status: (code) => ERROR_CODES[code].status,
  body: (error) => error.toBody(),
  schemaName: "Error",
  schema: errorSchema,
  properties: (codes, status) => ({ code: { enum: [...codes] }, status: { const: status } }),
};

/** The version the interface's description is labelled with (spec). */
export const CONTRACT_DOCUMENT: Dialect["document"] = {
  version: "0.1.0",
  description: "The management interface under `/v1` and the job interface under `/v2`.",
};

export const CONTRACT_DIALECT: Dialect = {
  name: "contract",
  basePath: "",
  refusals: { jobs: REFUSAL, others: REFUSAL },
  job: ({ job, output }) => framed(jobFrame(job), output),
  streamHoldMs: LIMITS.streamHoldMs,
  chunks: (part) => ({
    status: 200,
    pieces: chunkList(part),
    headers: { "job-status": streamStatus(part) },
  }),
  template: (template) => template,
  endpoint: (endpoint) => endpoint,
  pod: (pod) => pod,
  document: CONTRACT_DOCUMENT,
  schemas: {},
};
