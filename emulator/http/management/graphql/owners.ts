/** Finds the replica that owns the subject of a document. Pure. */
import type { Owned } from "../../../engine/steps/state/endpoint-moved.ts";
import type { RootField } from "./language/prepare.ts";

/** Pods run at one replica, which alone knows their addresses. */
const OF_PODS: ReadonlySet<string> = new Set([
  "deployCpuPod",
  "pod",
  "podFindAndDeployOnDemand",
  "podResume",
  "podStop",
  "podTerminate",
]);

/** In the order of the fields; fields that any replica can answer have no owner. */
export function ownedBy(fields: readonly RootField[]): readonly Owned[] {
  return fields.flatMap((field) => ofField(field) ?? []);
}

function ofField({ name, args, below }: RootField): Owned | undefined {
  if (OF_PODS.has(name)) return "service";
  if (name === "myself" && below.has("pods")) return "service";
  const endpointId = endpointIn(name, args);
  return typeof endpointId === "string" && endpointId !== "" ? { endpointId } : undefined;
}

function endpointIn(name: string, { id, input }: RootField["args"]): unknown {
  if (name === "deleteEndpoint") return id;
  const given = (input ?? {}) as Readonly<Record<string, unknown>>;
  if (name === "saveEndpoint") return given["id"];
  return name === "updateEndpointTemplate" ? given["endpointId"] : undefined;
}
