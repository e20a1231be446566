/** Removes the volumes of deleted pods. */
import type { ContainerEngine } from "../container-engine.ts";
import { LABEL } from "./container-labels.ts";

/** @param emulator value of the label of this emulator's volumes. @throws EngineError */
export async function dropPodVolumes(
  engine: ContainerEngine,
  emulator: string,
  isNeedless: (podId: string) => boolean,
): Promise<void> {
  for (const { id, labels } of await engine.list("volume", LABEL.volumeOf)) {
    const isOurs = labels[LABEL.emulator] === emulator;
    if (isOurs && isNeedless(labels[LABEL.volumeOf] ?? "")) await engine.remove("volume", id);
  }
}
