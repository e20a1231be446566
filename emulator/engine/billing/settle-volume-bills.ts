/** Bills network volumes as their records say: those that came, changed or went while another process had the bills. */
import type { Uses } from "../parts/engine-parts.ts";
import { billVolume } from "./bill-volume.ts";

export function settleVolumeBills(engine: Uses<"directory" | "prices" | "usage">): void {
  const { directory, usage } = engine;
  for (const volume of directory.volumes())
    if (usage.billedSize(volume.id) !== volume.size) billVolume(engine, volume);
  for (const volumeId of usage.billedVolumes())
    if (directory.findVolume(volumeId) === undefined) usage.ended(volumeId);
}
