/** Opens the store in a PostgreSQL database, and the bucket for its large payloads. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { RUNTIME_VERSION } from "../../../runtime/version.ts";
import { plainAddressProblem } from "../../core/access/exposure.ts";
import {
  ADVERTISE_RULE,
  isAdvertisedAddress,
  isObjectsAddress,
  isStoreAddress,
  OBJECTS_RULE,
  shownAddress,
  STORE_RULE,
} from "../../core/store-address.ts";
import type { Blobs } from "../../store/blobs/blobs.ts";
import { WatchedBlobs } from "../../store/blobs/watched-blobs.ts";
import type { PostgresStoreOptions } from "../../store/postgres/options.ts";
import type { PostgresStore } from "../../store/postgres/postgres-store.ts";

export interface SharedStoreOptions {
  /** `postgres://…` */
  readonly store: string;
  /** `s3://…`. Default: the database stores large payloads. */
  readonly objects?: string | undefined;
  /** `http://…`: the address at which the other emulators of the database reach this one. Default: it uses the database alone. */
  readonly advertise?: string | undefined;
  /** `advertise` may be plain HTTP to another machine. */
  readonly insecureReplicas?: boolean | undefined;
  /** `tls://…`: the address for workers from elsewhere, which other emulators pass on to them. */
  readonly toldToWorkers?: string | undefined;
}

/** Events of the store while it is open. */
export interface SharedStoreListeners extends Omit<
  PostgresStoreOptions,
  "url" | "blobs" | "replica" | "advertise" | "workerAddress" | "version" | "migrations" | "times"
> {
  /** Called when the bucket fails, and with undefined when it works again. Must not throw. */
  readonly onBucket?: (failure: Error | undefined) => void;
}

/** @throws RangeError for an invalid address */
export function checkAddresses(options: Partial<SharedStoreOptions>): void {
  const { store, objects, advertise, insecureReplicas = false } = options;
  if (store !== undefined && !isStoreAddress(store)) throw refusal("store", STORE_RULE, store);
  if (advertise !== undefined && !isAdvertisedAddress(advertise))
    throw refusal("advertise", ADVERTISE_RULE, advertise);
  if (advertise !== undefined && store === undefined)
    throw new RangeError("advertise needs store: emulators share a database");
  const problem = advertise && plainAddressProblem(advertise);
  if (problem !== undefined && !insecureReplicas) throw new RangeError(`advertise ${problem}`);
  if (objects === undefined) return;
  if (!isObjectsAddress(objects)) throw refusal("objects", OBJECTS_RULE, objects);
  if (store === undefined)
    throw new RangeError("objects needs store: without one the data directory has all payloads");
}

function refusal(name: string, rule: string, text: string): RangeError {
  return new RangeError(`${name} must ${rule}; got ${JSON.stringify(shownAddress(text))}`);
}

/**
 * Opens the database and the bucket. They are closed with `made`.
 *
 * @throws StoreUnusableError, StoreInUseError, StoreFullError
 */
export async function openSharedStore(
  { store: url, objects, advertise, toldToWorkers: workerAddress }: SharedStoreOptions,
  { onBucket, ...listeners }: SharedStoreListeners,
  made: AsyncDisposableStack,
): Promise<PostgresStore> {
  const blobs = objects === undefined ? undefined : await openBlobs(objects, onBucket);
  made.defer(() => blobs?.close());
  const { openPostgresStore } = await import("../../store/postgres/postgres-store.ts");
  const store = await openPostgresStore({
    ...listeners,
    ...{ url, advertise, workerAddress, version: RUNTIME_VERSION },
    ...(blobs && { blobs }),
    replica: `${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`,
  });
  made.defer(() => store.close());
  return store;
}

async function openBlobs(
  address: string,
  tell: SharedStoreListeners["onBucket"] = () => undefined,
): Promise<Blobs> {
  const { openS3Blobs } = await import("../../store/blobs/s3-blobs.ts");
  const blobs = await openS3Blobs(address, { env: process.env });
  return new WatchedBlobs(blobs, tell);
}
