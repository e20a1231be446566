/** Port: endpoints and what they are made of, and their prices. */
import type { PriceTable } from "../../core/billing/prices.ts";
import type { UsageMeter } from "../billing/usage-meter.ts";
import type { Directory } from "./directory.ts";
import type { HandlerSchemaBook } from "./endpoints/handler-schemas.ts";
import type { VolumeFiles } from "./volume-files.ts";

export interface CatalogPort {
  /** Endpoints, templates and network volumes as they are in the store. */
  readonly directory: Directory;
  /** What handlers take and give, as their workers told it. */
  readonly schemas: HandlerSchemaBook;
  readonly volumeFiles: VolumeFiles;
  /** Prices for the bills. */
  readonly prices: PriceTable;
  /** Records what runs, for the bills. */
  readonly usage: UsageMeter;
}
