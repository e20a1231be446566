/** What workers of the live dialect are answered. */
import { z } from "zod";
import { answered, json } from "./contract.ts";

/** A job as a worker takes it. */
export const takenJobSchema = answered("TakenJob", {
  id: z.string(),
  input: z.looseObject({}),
  webhook: z.string().optional(),
  s3Config: z.looseObject({}).optional(),
});

/** Nothing: the status says it all. */
export const takenSchema = answered("Taken", {});

/** The answer to whatever a worker says of a job. */
export const takenAnswer = json(
  "It is durable, or changes nothing because the job is not the worker's (any more).",
  takenSchema,
);
