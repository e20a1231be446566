// The body of a request to /generate.
import { z } from "zod";

export const generateRequest = z.object({
  prompt: z.string().trim().min(1).max(10_000),
  maxTokens: z.int().min(1).max(1_000).default(20),
});

export type GenerateRequest = z.infer<typeof generateRequest>;
