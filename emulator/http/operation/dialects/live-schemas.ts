/** Schemas in the document of the live dialect that differ from the contract's. */
import { z } from "zod";
import { JOB_STATUSES } from "../../../../runtime/protocol/job-status.ts";
import { endpointSchema } from "../../schemas/endpoint.ts";
import { chunkSchema, jobSchema } from "../../schemas/job.ts";
import { podSchema } from "../../schemas/pod.ts";
import { templateSchema } from "../../schemas/template.ts";
import { workerSchema } from "../../schemas/worker.ts";

const sentence = z.string().meta({ description: "A sentence that helps to correct the request." });

export const jobRefusalSchema = z.strictObject({
  error: sentence,
  status: z.int().optional().meta({ description: "The HTTP status, with 401, 404 and 500." }),
  title: z
    .string()
    .optional()
    .meta({ description: "The name of the HTTP status, with 401, 404 and 500." }),
  detail: z.string().optional().meta({ description: "The same as `error`." }),
});

export const refusalSchema = z.strictObject({
  error: sentence,
  message: z.string().meta({ description: "The same as `error`." }),
  status: z.int().meta({ description: "The HTTP status." }),
  problems: z
    .array(z.string())
    .optional()
    .meta({ description: "One sentence per problem of the request." }),
});

const template = templateSchema.extend({
  isRunpod: z.boolean().meta({ description: "The same as `isPlatform`." }),
});

const worker = workerSchema.extend({
  aiApiId: z.string().meta({ description: "The same as `endpointId`." }),
});

/** By name in the document. */
export const LIVE_SCHEMAS = {
  Job: jobSchema.omit({ failure: true }).extend({
    error: z.string().optional().meta({
      description: "Why the job failed: one text, JSON for an exception.",
    }),
  }),
  Stream: z.strictObject({
    status: z.enum(JOB_STATUSES).meta({
      description: "A final status comes with the last chunks; FAILED comes after them.",
    }),
    stream: z.array(chunkSchema),
  }),
  Template: template,
  Worker: worker,
  Endpoint: endpointSchema.extend({
    workersStandby: z.int(),
    template: template.optional(),
    workers: z.array(worker).optional(),
  }),
  Pod: podSchema.extend({ template: template.optional() }),
};
