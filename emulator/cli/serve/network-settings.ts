/** Settles the addresses and callers of the service from flags, environment and configs. */
import { resolve } from "node:path";
import { isOriginPattern, ORIGIN_PATTERN_RULE } from "../../core/access/allowed-origins.ts";
import { HOST_PATTERN_RULE, isHostPattern } from "../../core/access/host-names.ts";
import { isProxyPattern, PROXY_PATTERN_RULE } from "../../core/access/trusted-proxies.ts";
import { isWorkerAddress, WORKER_ADDRESS_RULE } from "../../core/workers/worker-address.ts";
import type { EmulatorOptions } from "../../index.ts";
import type { ServerConfig } from "../config/config.ts";
import { UsageError } from "../usage-error.ts";
import { DEFAULT_HOST, DEFAULT_PORT, type Environment, S3_OFF } from "./setting-values.ts";
import {
  byDefault,
  flagsOver,
  from,
  given,
  listOf,
  type Reader,
  ruled,
  type Sourced,
} from "./setting-source.ts";

/** The flags as written; one that was not given is absent. */
export interface NetworkFlags {
  readonly port?: string;
  readonly host?: string;
  readonly allowedHost?: readonly string[];
  readonly allowedOrigin?: readonly string[];
  readonly trustProxy?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly workerPort?: string;
  readonly workerAddress?: string;
  readonly s3Port?: string;
}

/** Reads a setting of the configs. */
export type Configured = <K extends keyof ServerConfig>(
  key: K,
) => Sourced<NonNullable<ServerConfig[K]>> | undefined;

/** @throws UsageError for an invalid value */
export function networkSettings(
  flags: NetworkFlags,
  env: Environment,
  configured: Configured,
  cwd: string,
) {
  const { said, listed } = flagsOver(env);
  const s3Port = configured("s3Port");
  return {
    host: from("--host", flags.host) ?? configured("host") ?? byDefault(DEFAULT_HOST),
    port: said("port", flags.port, portIn) ?? configured("port") ?? byDefault(DEFAULT_PORT),
    tls: tlsSetting(flags, env, configured, cwd),
    ...workerSettings(flags, env, configured),
    allowedHosts:
      listed("allowed-host", flags.allowedHost, hostIn) ??
      configured("allowedHosts") ??
      byDefault([]),
    allowedOrigins:
      listed("allowed-origin", flags.allowedOrigin, originIn) ??
      configured("allowedOrigins") ??
      byDefault([]),
    trustProxy:
      said("trust-proxy", flags.trustProxy, listOf(proxyIn)) ??
      configured("trustProxy") ??
      byDefault([]),
    s3:
      said("s3-port", flags.s3Port, s3In) ??
      given(s3Port?.source ?? "", s3Port && String(s3Port.value), s3In) ??
      byDefault({}),
  };
}

/** The port for workers from elsewhere. An address needs a port. */
function workerSettings(flags: NetworkFlags, env: Environment, configured: Configured) {
  const { said } = flagsOver(env);
  const workerPort =
    said("worker-port", flags.workerPort, portIn) ??
    configured("workerPort") ??
    byDefault(undefined);
  const workerAddress =
    said("worker-address", flags.workerAddress, workerAddressIn) ??
    configured("workerAddress") ??
    byDefault(undefined);
  if (workerAddress.value !== undefined && workerPort.value === undefined)
    throw new UsageError(
      `${workerAddress.source} needs --worker-port: it is the address of that port`,
    );
  return { workerPort, workerAddress };
}

/** The absolute paths of certificate and key. One needs the other. */
function tlsSetting(
  flags: NetworkFlags,
  env: Environment,
  configured: Configured,
  cwd: string,
): Sourced<EmulatorOptions["tls"]> {
  const { said } = flagsOver(env);
  const path: Reader<string> = (text) => resolve(cwd, text);
  const cert = said("tls-cert", flags.tlsCert, path) ?? configured("tlsCert");
  const key = said("tls-key", flags.tlsKey, path) ?? configured("tlsKey");
  if (cert !== undefined && key !== undefined)
    return { value: { cert: cert.value, key: key.value }, source: cert.source };
  if (cert !== undefined)
    throw new UsageError(`${cert.source} needs --tls-key, the private key of the certificate`);
  if (key !== undefined)
    throw new UsageError(`${key.source} needs --tls-cert, the certificate of the key`);
  return byDefault(undefined);
}

const portText = ruled(
  (text) => /^\d{1,5}$/.test(text) && Number(text) <= 65_535,
  "must be an integer from 0 to 65535 (0 takes any free port)",
);
/** Reads the number of a port. @throws UsageError */
export const portIn: Reader<number> = (text, source) => Number(portText(text, source));
const s3In: Reader<Required<EmulatorOptions>["s3"]> = (text, source) =>
  text === S3_OFF ? false : { port: portIn(text, source) };
const workerAddressIn = ruled(isWorkerAddress, `must ${WORKER_ADDRESS_RULE}`);
const hostIn = ruled(isHostPattern, `must ${HOST_PATTERN_RULE}`);
const originIn = ruled(isOriginPattern, `must ${ORIGIN_PATTERN_RULE}`);
const proxyIn = ruled(isProxyPattern, `must ${PROXY_PATTERN_RULE}`);
