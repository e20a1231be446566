/** The ids of workers from elsewhere that speak the worker protocol: each follows from what the worker says it is, at every replica. */
import { hash } from "node:crypto";

/** No worker that the service starts has such an id. */
const PREFIX = "ext-";
const DIGEST_CHARACTERS = 16;

/** Which worker says that it is `instance`, a text that nobody else can guess; the id tells nothing of that. */
export function externalId(endpointId: string, instance: string): string {
  const digest = hash("sha256", `${endpointId} ${instance}`, "hex");
  return PREFIX + digest.slice(0, DIGEST_CHARACTERS);
}

/** Whether the worker goes on with its jobs whatever becomes of the emulator, and will name them. */
export function namesItsJobs(workerId: string): boolean {
  return workerId.startsWith(PREFIX);
}
