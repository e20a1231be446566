/** Schemas of answers to workers of the live dialect. */
import { z } from "zod";
import { answered, json } from "./contract.ts";

export const takenJobSchema = answered("TakenJob", {
  id: z.string(),
  input: z.looseObject({}),
  webhook: z.string().optional(),
  s3Config: z.looseObject({}).optional(),
});

/** No body: the status is the answer. */
export const takenSchema = answered("Taken", {});

/** The answer to any report about a job. */
export const takenAnswer = json(
  "The report is durable, or changes nothing because the worker does not have the job.",
  takenSchema,
);
