/** Settings that are safe on this machine alone: why they are refused where other machines come in. Pure. */
import { isLoopbackHost } from "./loopback-host.ts";

/** Minimum length of a given key where other machines can try keys, and read the digests of a shared database. */
const KEY_MIN_CHARACTERS = 8;

/** Says why replicas may not be told an address; undefined for an address that is fine. */
export function plainAddressProblem(advertise: string): string | undefined {
  const { protocol, hostname } = new URL(advertise);
  if (protocol === "https:" || isLoopbackHost(hostname.replace(/^\[|\]$/gu, ""))) return undefined;
  return `is plain HTTP to another machine, where all that replicas pass on to each other can be read and changed, keys included; use https with --tls-cert, or allow it with --insecure-replicas on`;
}

/** Says why a given key is too short for a service that listens at `host`; undefined for a key that is long enough. */
export function shortKeyProblem(key: string, host: string): string | undefined {
  if (key.length >= KEY_MIN_CHARACTERS || isLoopbackHost(host)) return undefined;
  return `must have at least ${KEY_MIN_CHARACTERS} characters where the service listens at ${host}, for whoever reaches that can guess a shorter one`;
}
