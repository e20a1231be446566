// Input and output of a job. A job with an invalid input fails before the handler is called.
import { z } from "zod";

const pixels = z.int().min(16).max(2_048);

export const input = z.object({
  prompt: z.string().trim().min(1).max(1_000),
  width: pixels.default(512),
  height: pixels.default(512),
  /** The same seed and prompt give the same image. */
  seed: z.int().min(0).default(0),
});

export const output = z.object({
  /** Opens the image in a browser, without credentials, for seven days. */
  url: z.url(),
  width: z.number(),
  height: z.number(),
  bytes: z.number(),
});

export type Request = z.infer<typeof input>;
