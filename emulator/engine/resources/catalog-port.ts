/** Port: endpoints with their resources, and prices. */
import type { PriceTable } from "../../core/billing/prices.ts";
import type { UsageMeter } from "../billing/usage-meter.ts";
import type { Directory } from "./directory.ts";
import type { HandlerSchemaBook } from "./endpoints/handler-schemas.ts";
import type { VolumeFiles } from "./volume-files.ts";

export interface CatalogPort {
  /** Endpoints, templates and network volumes in the store. */
  readonly directory: Directory;
  /** Schemas of handlers, as reported by their workers. */
  readonly schemas: HandlerSchemaBook;
  readonly volumeFiles: VolumeFiles;
  readonly prices: PriceTable;
  /** Records usage for bills. */
  readonly usage: UsageMeter;
}
