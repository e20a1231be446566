/** Where the service keeps what it keeps, if that is not the data directory: as flags, the environment and configs say. */
import { readSecretKey } from "../../core/resources/sealed-secret.ts";
import {
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
}

export interface StoreSettings {
  readonly store: Sourced<string | undefined>;
  readonly objects: Sourced<string | undefined>;
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
  if (objects.value === undefined || store.value !== undefined) return { store, objects };
  throw new UsageError(
    `${objects.source} goes with --store: without one the data directory has all payloads`,
  );
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
export const secretKeyIn: Reader<string> = ruled(
  (text) => readSecretKey(text) !== undefined,
  "must be 32 bytes in base64; openssl rand -base64 32 makes one",
  false,
);
