/** Stores an output that is too large for a job in object storage, and makes the reference to it. */
import { LIMITS } from "../../protocol/limits.ts";
import type { LargeOutput } from "../../storage/contract.ts";
import type { Context } from "../contract.ts";
import { exceeds, InvalidOutputError } from "./output.ts";

export function isLargeOutput(json: string | undefined): json is string {
  return json !== undefined && exceeds(json, LIMITS.outputMaxBytes);
}

/**
 * The JSON text of the reference that replaces the output.
 *
 * @throws InvalidOutputError if the output cannot be stored
 */
export async function uploadedOutput(
  json: string,
  { job, attempt, upload }: Context,
): Promise<string> {
  try {
    const key = `outputs/${job.id}/${attempt}.json`;
    const reference: LargeOutput = {
      largeOutput: await upload(key, json, { contentType: "application/json" }),
    };
    return JSON.stringify(reference);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new InvalidOutputError(
      `The output is larger than ${LIMITS.outputMaxBytes} bytes of JSON and could not be uploaded: ${reason}`,
      { cause: error },
    );
  }
}
