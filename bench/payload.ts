/** What every job of the benchmark carries: 200 bytes. */

const PAYLOAD_BYTES = 200;

const wrapped = (text: string): string => JSON.stringify({ input: { text } });

/** The `input` of a job whose submission body is exactly `PAYLOAD_BYTES` long. */
export const jobInput = { text: "x".repeat(PAYLOAD_BYTES - wrapped("").length) };

/** A submission body of `PAYLOAD_BYTES`. */
export const submissionBody = JSON.stringify({ input: jobInput });

/** As many bytes without any meaning, for the floors. */
export const payloadBytes = Buffer.alloc(PAYLOAD_BYTES, "x");
