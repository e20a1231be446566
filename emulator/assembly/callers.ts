/** Makes the check of hosts, origins and proxies, from the options and the name of this machine. */
import { hostname } from "node:os";
import { shortKeyProblem } from "../core/access/exposure.ts";
import {
  AllowedOrigins,
  isOriginPattern,
  ORIGIN_PATTERN_RULE,
} from "../core/access/allowed-origins.ts";
import { HOST_PATTERN_RULE, HostNames, isHostPattern } from "../core/access/host-names.ts";
import {
  isProxyPattern,
  PROXY_PATTERN_RULE,
  TrustedProxies,
} from "../core/access/trusted-proxies.ts";
import { CallerCheck } from "../http/operation/access/caller-check.ts";
import type { EmulatorOptions } from "../options.ts";

export const DEFAULT_HOST = "127.0.0.1";

/** @throws RangeError for an invalid host, origin or proxy, and for keys that are too short for the host */
export function callerCheck(host: string, options: EmulatorOptions): CallerCheck {
  const { allowedHosts = [], allowedOrigins = [], trustProxy = [] } = options;
  const { apiKey, adminKey, localKey } = options;
  for (const [name, key] of Object.entries({ apiKey, adminKey, localKey })) {
    const problem = key === undefined ? undefined : shortKeyProblem(key, host);
    if (problem !== undefined) throw new RangeError(`${name} ${problem}`);
  }
  refuseOthers("allowedHosts", allowedHosts, isHostPattern, HOST_PATTERN_RULE);
  refuseOthers("allowedOrigins", allowedOrigins, isOriginPattern, ORIGIN_PATTERN_RULE);
  refuseOthers("trustProxy", trustProxy, isProxyPattern, PROXY_PATTERN_RULE);
  return new CallerCheck({
    hosts: new HostNames({
      host,
      machineName: hostname(),
      allowed: [...allowedHosts, ...hostsForWorkers(options)],
    }),
    origins: new AllowedOrigins(allowedOrigins),
    proxies: new TrustedProxies(trustProxy),
  });
}

/** Host names by which pods and containers on other machines call the service. */
function hostsForWorkers({ advertise, workerAddress }: EmulatorOptions): readonly string[] {
  if (advertise !== undefined) return [new URL(advertise).hostname];
  return workerAddress === undefined ? [] : [new URL(`tls://${workerAddress}`).hostname];
}

function refuseOthers(
  name: string,
  values: readonly string[],
  isGood: (value: string) => boolean,
  rule: string,
): void {
  const wrong = values.find((value) => !isGood(value));
  if (wrong === undefined) return;
  throw new RangeError(`each of ${name} must ${rule}; got ${JSON.stringify(wrong)}`);
}
