/** Begins to bill a network volume at the price of its size. */
import { volumePerHour } from "../../core/billing/prices.ts";
import type { NetworkVolume } from "../../core/resources/network-volumes/network-volume.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";

/** Call this once the volume, or its new size, is stored; its present bill ends. */
export function billVolume(
  { usage, prices }: CatalogPort,
  { id, size, type }: NetworkVolume,
): void {
  usage.ended(id);
  usage.began({
    kind: "volume",
    volumeId: id,
    ...(type !== undefined && { volumeType: type }),
    perHour: volumePerHour(prices, size),
    diskInGb: size,
  });
}
