/** A network volume in the first version of the management interface (spec): the record without its type. */
import type { NetworkVolume } from "../../../core/resources/network-volumes/network-volume.ts";

export function volumeBody({ id, name, size, dataCenterId }: NetworkVolume) {
  return { id, name, size, dataCenterId };
}
