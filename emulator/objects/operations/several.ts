/** An element of XML that may occur once or several times. */
import { z } from "zod";

/** One element is read as itself, several as an array; this makes an array of both. */
export function several<T>(schema: z.ZodType<T>): z.ZodType<T[]> {
  return z.preprocess(
    (value): unknown => (Array.isArray(value) ? value : [value]),
    z.array(schema),
  );
}
