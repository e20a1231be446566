/** The payload of every job of the benchmark: 200 bytes, unless a row needs another size. */

export const PAYLOAD_BYTES = 200;
/** Maximum size of a submission to `/runsync`, and of its output. */
export const LARGE_BYTES = 20_000_000;

/**
 * A submission body of exactly this number of bytes.
 *
 * @param more further members of the input
 */
export function bodyOf(bytes: number, more: Readonly<Record<string, unknown>> = {}): string {
  const wrapped = (text: string): string => JSON.stringify({ input: { text, ...more } });
  return wrapped("x".repeat(bytes - wrapped("").length));
}

/** A submission body of `PAYLOAD_BYTES`, and the `input` in it. */
export const submissionBody = bodyOf(PAYLOAD_BYTES);
export const { input: jobInput } = JSON.parse(submissionBody) as {
  readonly input: { readonly text: string };
};

/** Random bytes, for the floors. */
export const payloadBytes = Buffer.alloc(PAYLOAD_BYTES, "x");
