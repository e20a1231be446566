/** The settings of an endpoint that differ from the defaults, for its config. */
import { isDeepStrictEqual } from "node:util";
import { ENDPOINT_FIELDS_IN_FILES } from "../../core/resources/endpoints/endpoint-fields.ts";
import { fileDefaultOf } from "../../core/resources/fields.ts";
import { defaultScalerType, type Endpoint } from "../../core/resources/endpoints/endpoint.ts";
import { volumesOf } from "../../core/resources/network-volumes/network-volume.ts";
import type { WrittenEndpoint } from "../config/config-schema.ts";

/** Settings without the template, the network volumes and the name, which are written separately. */
const {
  name: _name,
  templateId: _templateId,
  networkVolumeId: _networkVolumeId,
  networkVolumeIds: _networkVolumeIds,
  ...SETTINGS
} = ENDPOINT_FIELDS_IN_FILES;

/** @param keyOfVolume the key under which a network volume is in the config */
export function settingsWritten(
  endpoint: Endpoint,
  keyOfVolume: (id: string) => string,
): WrittenEndpoint {
  const names = Object.keys(SETTINGS) as readonly (keyof typeof SETTINGS)[];
  const different = names.filter((name) => {
    const byDefault =
      name === "scalerType"
        ? defaultScalerType(endpoint.type)
        : fileDefaultOf<unknown>(SETTINGS[name]);
    return endpoint[name] !== undefined && !isDeepStrictEqual(endpoint[name], byDefault);
  });
  const networkVolumes = volumesOf(endpoint).map(keyOfVolume);
  const asksForGpus = different.includes("gpuCount") || different.includes("gpuTypeIds");
  return {
    ...(endpoint.name !== endpoint.id && { name: endpoint.name }),
    ...Object.fromEntries(different.map((name) => [name, endpoint[name]])),
    // Without this setting, a start would derive the type from the GPUs.
    ...(asksForGpus && { computeType: endpoint.computeType }),
    ...(networkVolumes.length > 0 && { networkVolumes }),
  };
}
