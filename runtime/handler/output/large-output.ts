/** Stores an output that is too large for a job in object storage, and makes the reference to it. */
import { randomBytes } from "node:crypto";
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
    // The number of an attempt may be used again after a crash of the service, while the first handler still uploads.
    const key = `outputs/${job.id}/${attempt}-${randomBytes(4).toString("hex")}.json`;
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
