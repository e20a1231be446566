/** The dialect of the contract (spec), with our form of errors and no base path. */
import { z } from "zod";
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { framed, jobFrame } from "../../../core/jobs/job-body.ts";
import { ERROR_CODES, type ErrorCode } from "../../../core/service-error.ts";
import type { Dialect, RefusalShape } from "../dialect.ts";
import { chunkList, streamStatus } from "./chunk-list.ts";

const CODES = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

/** Body of every error answer of this dialect. */
const errorSchema = z.strictObject({
  error: z.string().meta({ description: "A sentence that helps to correct the request." }),
  code: z.enum(CODES),
  status: z.int().meta({ description: "The HTTP status." }),
  problems: z.array(z.string()).optional().meta({
    description: "One sentence per problem; on `invalid_request` and `not_ready`.",
  }),
});

const REFUSAL: RefusalShape = {
  status: (code) => ERROR_CODES[code].status,
  body: (error) => error.toBody(),
  schemaName: "Error",
  schema: errorSchema,
  properties: (codes, status) => ({ code: { enum: [...codes] }, status: { const: status } }),
};

/** Version in the OpenAPI document (spec). */
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
