/** The live dialect: for clients of the live service, in the forms that they read (live). */
import { LIMITS } from "../../../../runtime/protocol/limits.ts";
import { framed } from "../../../core/jobs/job-body.ts";
import { liveJobFrame } from "../../../core/jobs/live-job-body.ts";
import { type ErrorCode, ERROR_CODES } from "../../../core/service-error.ts";
import type { Template } from "../../../core/resources/templates/template.ts";
import type { Dialect, RefusalShape, ShownPod } from "../dialect.ts";
import { chunkList, streamStatus } from "./chunk-list.ts";
import { CONTRACT_DOCUMENT } from "./contract-dialect.ts";
import { liveText } from "./live-texts.ts";
import { jobRefusalSchema, LIVE_SCHEMAS, refusalSchema } from "./live-schemas.ts";

const REFUSAL: RefusalShape = {
  status: liveStatus,
  // Some clients read `error`, others `message`.
  body: (error) => {
    const { message, problems } = liveText(error);
    return { error: message, message, status: liveStatus(error.code), problems };
  },
  schemaName: "Error",
  schema: refusalSchema,
  properties: (_, status) => ({ status: { const: status } }),
};

/** Refusals by the gateway of the live service, before its queue, have a form of their own. */
const GATEWAY_TITLES: Readonly<Record<number, string>> = {
  401: "Unauthorized",
  404: "Not Found",
  500: "Internal Server Error",
};

const JOB_REFUSAL: RefusalShape = {
  status: liveStatus,
  // Every refusal has `error`.
  body: (error) => {
    const { message } = liveText(error);
    const status = liveStatus(error.code);
    const title = GATEWAY_TITLES[status];
    return { error: message, ...(title !== undefined && { status, title, detail: message }) };
  },
  schemaName: "JobError",
  schema: jobRefusalSchema,
  properties: (_, status): Record<string, { const: number }> =>
    GATEWAY_TITLES[status] === undefined ? {} : { status: { const: status } },
};

export const LIVE_DIALECT: Dialect = {
  name: "live",
  basePath: "/live",
  refusals: { jobs: JOB_REFUSAL, others: REFUSAL },
  job: ({ job, output }) => framed(liveJobFrame(job), output),
  streamHoldMs: LIMITS.liveStreamHoldMs,
  chunks: (part) => {
    const status = streamStatus(part);
    // Clients take a stream with FAILED for empty, so unread chunks are answered first, with IN_PROGRESS.
    const shown = status === "FAILED" && part.batches.length > 0 ? "IN_PROGRESS" : status;
    return {
      status: 200,
      pieces: [`{"status":"${shown}","stream":`, ...chunkList(part), "}"],
    };
  },
  template: liveTemplate,
  endpoint: ({ template, workers, ...endpoint }) => ({
    ...endpoint,
    // Workers in reserve do not exist here.
    workersStandby: 0,
    ...(template && { template: liveTemplate(template) }),
    ...(workers && { workers: workers.map(livePod) }),
  }),
  pod: livePod,
  document: CONTRACT_DOCUMENT,
  schemas: LIVE_SCHEMAS,
};

function liveStatus(code: ErrorCode): number {
  return code === "payload_too_large" ? 400 : ERROR_CODES[code].status;
}

function liveTemplate(template: Template): object {
  return { ...template, isRunpod: template.isPlatform };
}

/** `aiApiId` is the old name of an endpoint's id. */
function livePod({ template, ...pod }: ShownPod): object {
  return {
    ...pod,
    ...(pod.endpointId !== undefined && { aiApiId: pod.endpointId }),
    ...(template && { template: liveTemplate(template) }),
  };
}
