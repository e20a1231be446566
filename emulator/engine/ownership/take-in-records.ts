/** Reacts to changes of records by another process as to changes here. */
import { settleVolumeBills } from "../billing/settle-volume-bills.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TellPort } from "../observe/tell-port.ts";
import type { CatalogPort } from "../resources/catalog-port.ts";
import type { WakePort } from "../steps/wake-port.ts";
import type { RecordChange } from "../steps/state/record-book.ts";

type TakeInUses = StepPort & TellPort & CatalogPort & WakePort;

export function takeInRecords(engine: TakeInUses, changes: readonly RecordChange[]): void {
  for (const change of changes) takeIn(engine, change);
  const isOfVolume = changes.some(({ kind }) => kind === "networkVolume");
  if (isOfVolume && engine.ownership.holdsService()) settleVolumeBills(engine);
}

function takeIn(engine: TakeInUses, { kind, id, before, after }: RecordChange): void {
  const { directory, endpointChanged, endpointDeleted, podChanged, tell } = engine;
  switch (kind) {
    case "endpoint":
      endpointChanged(id);
      if (after === undefined) return endpointDeleted(id);
      return tell({
        type: "endpoint",
        endpointId: id,
        change: before === undefined ? "created" : "changed",
      });
    case "template":
      for (const endpoint of directory.endpoints())
        if (endpoint.templateId === id) endpointChanged(endpoint.id);
      return;
    case "pod":
      return podChanged(id);
    default:
  }
}
