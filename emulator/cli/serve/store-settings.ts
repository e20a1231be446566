/** Where the service keeps what it keeps, if that is not the data directory: as flags, the environment and configs say. */
import { readSecretKey } from "../../core/resources/sealed-secret.ts";
import {
  ADVERTISE_RULE,
  isAdvertisedAddress,
  isObjectsAddress,
  isStoreAddress,
  OBJECTS_RULE,
  shownAddress,
  STORE_RULE,
} from "../../core/store-address.ts";
import { UsageError } from "../usage-error.ts";
import type { Environment } from "./setting-values.ts";
import { byDefault, given, type Reader, ruled, type Sourced } from "./sourced.ts";

/** The flags as written. */
export interface StoreFlags {
  readonly store?: string;
  readonly objects?: string;
  readonly advertise?: string;
}

export interface StoreSettings {
  readonly store: Sourced<string | undefined>;
  readonly objects: Sourced<string | undefined>;
  readonly advertise: Sourced<string | undefined>;
}

/** What a config says. */
type Configured = (key: keyof StoreFlags) => Sourced<string> | undefined;

/** @throws UsageError when a value cannot be used */
export function storeSettings(
  flags: StoreFlags,
  env: Environment,
  configured: Configured = () => undefined,
): StoreSettings {
  const settled = (key: keyof StoreFlags, name: string, reader: Reader<string>) => {
    const inConfig = configured(key);
    return (
      given(`--${key}`, flags[key], reader) ??
      given(name, env[name], reader) ??
      given(inConfig?.source ?? "", inConfig?.value, reader) ??
      byDefault(undefined)
    );
  };
  const store = settled("store", "SV_STORE", storeIn);
  const objects = settled("objects", "SV_OBJECTS", objectsIn);
  const advertise = settled("advertise", "SV_ADVERTISE", advertiseIn);
  if (store.value === undefined && objects.value !== undefined)
    throw new UsageError(
      `${objects.source} goes with --store: without one the data directory has all payloads`,
    );
  if (store.value === undefined && advertise.value !== undefined)
    throw new UsageError(`${advertise.source} goes with --store: emulators share a database`);
  return { store, objects, advertise };
}

/** A text that is shown without what is secret in it. */
function address(isGood: (text: string) => boolean, rule: string): Reader<string> {
  return (text, source) => {
    if (isGood(text)) return text;
    throw new UsageError(`${source} must ${rule}; got ${JSON.stringify(shownAddress(text))}`);
  };
}

export const storeIn = address(isStoreAddress, STORE_RULE);
export const objectsIn = address(isObjectsAddress, OBJECTS_RULE);
const advertiseIn = address(isAdvertisedAddress, ADVERTISE_RULE);
export const secretKeyIn: Reader<string> = ruled(
  (text) => readSecretKey(text) !== undefined,
  "must be 32 bytes in base64; openssl rand -base64 32 makes one",
  false,
);
