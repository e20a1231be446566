// What a job of this endpoint takes and gives. A job whose input does not fit fails before the handler is called.
import { z } from "zod";

export const input = z.object({
  name: z.string().trim().min(1).max(100),
  language: z.enum(["en", "de", "fr"]).default("en"),
});

export const output = z.object({ greeting: z.string() });
