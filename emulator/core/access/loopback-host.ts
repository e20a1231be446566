/** Whether only this machine can reach what the service listens at. */
import ipaddr from "ipaddr.js";

/** True for an address or name of loopback. */
export function isLoopbackHost(host: string): boolean {
  if (host.toLowerCase() === "localhost") return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback";
}
