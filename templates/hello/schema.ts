// Input and output of a job. A job with an invalid input fails before the handler is called.
import { z } from "zod";

export const input = z.object({
  name: z.string().trim().min(1).max(100),
  language: z.enum(["en", "de", "fr"]).default("en"),
});

export const output = z.object({ greeting: z.string() });
