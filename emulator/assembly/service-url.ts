/** The URL of the service for other machines. */
import type { HttpServer } from "../http/server.ts";
import type { EmulatorOptions } from "../options.ts";
import { isLoopbackHost } from "../core/access/loopback-host.ts";
import { DEFAULT_HOST } from "./callers.ts";
import type { Elsewhere } from "./workers/elsewhere.ts";

export interface ServiceUrlParts {
  readonly emulator: Pick<EmulatorOptions, "advertise" | "host">;
  readonly http: Pick<HttpServer, "url">;
}

/**
 * The URL of the HTTP port for workers on other machines: the advertised URL, or that port on the host of the worker port. Undefined
 * if only this machine can reach it.
 */
export function serviceUrl(
  { emulator, http }: ServiceUrlParts,
  elsewhere: Pick<Elsewhere, "address">,
): string | undefined {
  const { advertise, host = DEFAULT_HOST } = emulator;
  if (advertise !== undefined) return new URL(advertise).origin;
  const [address, url] = [elsewhere.address(), http.url];
  if (address === undefined || url === undefined) return undefined;
  const { hostname } = new URL(address);
  if (isLoopbackHost(host) && !isLoopbackHost(hostname)) return undefined;
  return Object.assign(new URL(url), { hostname }).origin;
}
