/** Whether what the service listens at can be called from this machine alone. */
import ipaddr from "ipaddr.js";

/** True for an address or a name that only this machine itself can call. */
export function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === "localhost") return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}
