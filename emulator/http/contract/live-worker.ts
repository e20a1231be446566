/** What workers of the live dialect are answered. */
import { z } from "zod";
import { answered } from "./contract.ts";

/** A job as a worker takes it. */
export const takenJobSchema = answered("TakenJob", {
  id: z.string(),
  input: z.looseObject({}),
  webhook: z.string().optional(),
  s3Config: z.looseObject({}).optional(),
});

/** Nothing: the status says it all. */
export const takenSchema = answered("Taken", {});
