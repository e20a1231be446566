/** Ids of CPU instances in clients: flavour, vCPUs and GB of memory (live), for example `cpu3c-8-16`. Pure. */
import { valueInWords } from "../../../core/input/problem-messages.ts";
import { invalidRequest } from "../../../core/service-error.ts";
import type { Input } from "../graphql/input.ts";

const INSTANCE = /^([a-z0-9]+)-(\d{1,4})(?:-\d{1,5})?$/u;

/**
 * The fields of `/v1` for these instances; the flavour decides the memory.
 * @throws ServiceError invalid_request
 */
export function cpuOf(instanceIds: readonly unknown[]): Input {
  const instances = instanceIds.map((id) => {
    const [, flavor, vcpuCount] = INSTANCE.exec(typeof id === "string" ? id : "") ?? [];
    if (flavor !== undefined) return { flavor, vcpuCount: Number(vcpuCount) };
    const what = "a CPU instance is a flavour, its vCPUs and its memory, like cpu3c-2-4";
    throw invalidRequest([`${what}; got ${valueInWords(id)}`]);
  });
  const counts = new Set(instances.map(({ vcpuCount }) => vcpuCount));
  if (counts.size > 1)
    throw invalidRequest(["all instances of an endpoint have the same number of vCPUs here"]);
  const [vcpuCount] = counts;
  return { cpuFlavorIds: instances.map(({ flavor }) => flavor), vcpuCount };
}
