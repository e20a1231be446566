/** The settings of an endpoint that its config must have: those that differ from the defaults. */
import { isDeepStrictEqual } from "node:util";
import { defaultScalerType, type Endpoint } from "../../core/resources/endpoint.ts";
import { volumesOf } from "../../core/resources/network-volume.ts";
import { LOCAL_ENDPOINT_DEFAULTS } from "../../handlers/local-endpoint.ts";
import type { WrittenEndpoint } from "../config/config-schema.ts";

/** With the value that each has when a config says nothing of it. */
const SETTINGS = {
  ...LOCAL_ENDPOINT_DEFAULTS,
  type: "QUEUE",
  allowedCudaVersions: [],
  minCudaVersion: undefined,
  cpuFlavorIds: [],
  vcpuCount: undefined,
  dataCenterIds: [],
  flashboot: undefined,
} as const;

/** @param keyOfVolume the key under which a network volume is in the config */
export function settingsWritten(
  endpoint: Endpoint,
  keyOfVolume: (id: string) => string,
): WrittenEndpoint {
  const defaults: Readonly<Record<string, unknown>> = {
    ...SETTINGS,
    scalerType: defaultScalerType(endpoint.type),
  };
  const names = Object.keys(SETTINGS) as readonly (keyof typeof SETTINGS)[];
  const different = names.filter(
    (name) => endpoint[name] !== undefined && !isDeepStrictEqual(endpoint[name], defaults[name]),
  );
  const networkVolumes = volumesOf(endpoint).map(keyOfVolume);
  const asksForGpus = different.includes("gpuCount") || different.includes("gpuTypeIds");
  return {
    ...(endpoint.name !== endpoint.id && { name: endpoint.name }),
    ...Object.fromEntries(different.map((name) => [name, endpoint[name]])),
    // Else it would be what follows from the GPUs.
    ...(asksForGpus && { computeType: endpoint.computeType }),
    ...(networkVolumes.length > 0 && { networkVolumes }),
  };
}
