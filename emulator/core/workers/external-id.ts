/**
 * Ids of external workers that speak the worker protocol. An id is derived from the worker's instance id, so that every replica
 * knows it.
 */
import { hash } from "node:crypto";

/** Prefix that no worker started by the service has. */
const PREFIX = "ext-";
const DIGEST_CHARACTERS = 16;

/** The id of the worker with this `instance`. The instance id is secret, and the worker's id does not reveal it. */
export function externalId(endpointId: string, instance: string): string {
  const digest = hash("sha256", `${endpointId} ${instance}`, "hex");
  return PREFIX + digest.slice(0, DIGEST_CHARACTERS);
}

/** Whether the worker outlives the emulator, goes on with its jobs and will name them. */
export function namesItsJobs(workerId: string): boolean {
  return workerId.startsWith(PREFIX);
}
