/** Settles the store of the service, if it is not the data directory, from flags, environment and configs. */
import { plainAddressProblem } from "../../core/access/exposure.ts";
import { readSecretKey } from "../../core/resources/secrets/sealed-secret.ts";
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
import { type Environment, ON_OFF } from "./setting-values.ts";
import { byDefault, flagsOver, given, type Reader, ruled, type Sourced } from "./setting-source.ts";

/** The flags as written. */
export interface StoreFlags {
  readonly store?: string;
  readonly objects?: string;
  readonly advertise?: string;
  readonly insecureReplicas?: (typeof ON_OFF)[number];
}

type Address = Exclude<keyof StoreFlags, "insecureReplicas">;

/** Reads an address in the configs. */
type Configured = (key: Address) => Sourced<string> | undefined;

/** @throws UsageError for an invalid value */
export function storeSettings(
  flags: StoreFlags,
  env: Environment,
  configured: Configured = () => undefined,
  inConfig?: Sourced<boolean>,
) {
  const settled = (key: Address, name: string, reader: Reader<string>) => {
    const { source, value } = configured(key) ?? byDefault(undefined);
    return (
      given(`--${key}`, flags[key], reader) ??
      given(name, env[name], reader) ??
      given(source, value, reader) ??
      byDefault(undefined)
    );
  };
  const store = settled("store", "SV_STORE", storeIn);
  const objects = settled("objects", "SV_OBJECTS", objectsIn);
  const advertise = settled("advertise", "SV_ADVERTISE", advertiseIn);
  if (store.value === undefined && objects.value !== undefined)
    throw new UsageError(
      `${objects.source} needs --store: without one the data directory has all payloads`,
    );
  if (store.value === undefined && advertise.value !== undefined)
    throw new UsageError(`${advertise.source} needs --store: emulators share a database`);
  const insecureReplicas =
    flagsOver(env).said("insecure-replicas", flags.insecureReplicas, onOffIn) ??
    inConfig ??
    byDefault(undefined);
  const problem = advertise.value && plainAddressProblem(advertise.value);
  if (problem !== undefined && insecureReplicas.value !== true)
    throw new UsageError(`${advertise.source} ${problem}`);
  return { store, objects, advertise, insecureReplicas };
}

/** Reads an address. Messages show it without its secrets. */
function address(isGood: (text: string) => boolean, rule: string): Reader<string> {
  return (text, source) => {
    if (isGood(text)) return text;
    throw new UsageError(`${source} must ${rule}; got ${JSON.stringify(shownAddress(text))}`);
  };
}

export const storeIn = address(isStoreAddress, STORE_RULE);
export const objectsIn = address(isObjectsAddress, OBJECTS_RULE);
const onOff = ruled((text) => ON_OFF.some((each) => each === text), "must be on or off");
const onOffIn: Reader<boolean> = (text, source) => onOff(text, source) === "on";
const advertiseIn = address(isAdvertisedAddress, ADVERTISE_RULE);
export const secretKeyIn: Reader<string> = ruled(
  (text) => readSecretKey(text) !== undefined,
  "must be 32 bytes in base64; openssl rand -base64 32 makes one",
  false,
);
