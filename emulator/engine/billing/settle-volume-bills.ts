/** Brings bills of network volumes in line with their records, which may have changed while another process had the bills. */
import type { CatalogPort } from "../resources/catalog-port.ts";
import { billVolume } from "./bill-volume.ts";

export function settleVolumeBills(engine: CatalogPort): void {
  const { directory, usage } = engine;
  for (const volume of directory.volumes())
    if (usage.billedSize(volume.id) !== volume.size) billVolume(engine, volume);
  for (const volumeId of usage.billedVolumes())
    if (directory.findVolume(volumeId) === undefined) usage.ended(volumeId);
}
