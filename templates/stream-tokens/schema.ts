// Input of a job. A job with an invalid input fails before the handler is called.
import { z } from "zod";

export const input = z.object({
  prompt: z.string().max(10_000),
  maxTokens: z.int().min(1).max(1_000).default(40),
  /** The same seed and prompt give the same text. */
  seed: z.int().min(0).default(0),
});

export type Request = z.infer<typeof input>;
