/** Makes changes by another replica visible here before a request needs them. */
import type { Ownership } from "../../store/ownership.ts";
import { endpointIdIn, isOnJobs, type Operation } from "./operation.ts";
import type { HttpService } from "./service.ts";

/** Called before an operation on records, and before an endpoint is reported as missing. */
export async function refreshRecords<Path>(
  service: Pick<HttpService, "engine">,
  ownership: Ownership,
  operation: Pick<Operation<Path>, "access" | "path">,
  path: Path,
): Promise<void> {
  const endpointId = endpointIdIn(path);
  if (isOnRecords(operation)) await ownership.refreshRecords();
  else if (endpointId !== undefined) await refreshIfUnknown(service, ownership, endpointId);
}

export async function refreshIfUnknown(
  { engine }: Pick<HttpService, "engine">,
  ownership: Ownership,
  endpointId: string,
): Promise<void> {
  if (engine.directory.findEndpoint(endpointId) === undefined) await ownership.refreshRecords();
}

/** True for all operations except those on jobs and those that serve pages. */
function isOnRecords({ access, path }: Pick<Operation, "access" | "path">): boolean {
  return access !== "anyone" && !isOnJobs({ path });
}
