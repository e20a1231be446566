/** Refuses settings that are safe only while no other machine can reach the service. Pure. */
import { isLoopbackHost } from "./loopback-host.ts";

/** Minimum length of a given key if other machines can try keys or read digests in a shared database. */
const KEY_MIN_CHARACTERS = 8;

/** The reason why the address must not be used between replicas; undefined for a good one. */
export function plainAddressProblem(advertise: string): string | undefined {
  const { protocol, hostname } = new URL(advertise);
  if (protocol === "https:" || isLoopbackHost(hostname.replace(/^\[|\]$/gu, ""))) return undefined;
  return `is plain HTTP to another machine: keys and requests between replicas can be read and changed on the way; use https with --tls-cert, or allow it with --insecure-replicas on`;
}

/** Why a given key is too short for a service that listens at `host`; undefined for a key that is long enough. */
export function shortKeyProblem(key: string, host: string): string | undefined {
  if (key.length >= KEY_MIN_CHARACTERS || isLoopbackHost(host)) return undefined;
  return `must have at least ${KEY_MIN_CHARACTERS} characters where the service listens at ${host}: a shorter one can be guessed by other machines`;
}
