/** Chooses the proxy of a connection by HTTPS_PROXY, HTTP_PROXY and NO_PROXY. What is on this machine has none. */
import os from "node:os";

/** Names of this machine: its own, and those by which containers call it. Names below one of them belong to it as well. */
const NAMES = ["localhost", "host.docker.internal", "host.containers.internal"];

/** The network 127/8, in Node's form. */
const LOOPBACK = "127.0.0.1-127.255.255.255";

export interface ProxyVariables {
  readonly HTTPS_PROXY: string;
  readonly HTTP_PROXY: string;
  readonly NO_PROXY: string;
}

/** The proxies of the environment, with this machine in NO_PROXY. Undefined without a proxy. */
export function proxyVariables(): ProxyVariables | undefined {
  const HTTP_PROXY = variable("http_proxy");
  const HTTPS_PROXY = variable("https_proxy") || HTTP_PROXY;
  if (HTTPS_PROXY === "") return undefined;
  const NO_PROXY = [variable("no_proxy"), ...NAMES, LOOPBACK, ...ownAddresses()].join(",");
  return { HTTPS_PROXY, HTTP_PROXY, NO_PROXY };
}

/** The proxy of a connection with TLS to that host. Undefined for a direct one. */
export function proxyOf(host: string): string | undefined {
  const env = proxyVariables();
  if (env === undefined || isThisMachine(host)) return undefined;
  const isExcluded = env.NO_PROXY.split(/[,\s]+/u).some(
    (entry) => entry === "*" || isOrIsBelow(host.toLowerCase(), entry.replace(/^\*?\./u, "")),
  );
  return isExcluded ? undefined : env.HTTPS_PROXY;
}

/** @param host as in a URL: an IPv6 address may be in brackets */
export function isThisMachine(host: string): boolean {
  const plain = host.replace(/^\[(.*)\]$/u, "$1").toLowerCase();
  if (/^127(?:\.\d+){3}$/u.test(plain) || ownAddresses().includes(plain)) return true;
  return NAMES.some((name) => isOrIsBelow(plain, name));
}

function isOrIsBelow(host: string, name: string): boolean {
  return name !== "" && (host === name.toLowerCase() || host.endsWith(`.${name.toLowerCase()}`));
}

/** Other programs, too, prefer the name in lower case. */
function variable(name: string): string {
  return process.env[name] || process.env[name.toUpperCase()] || "";
}

function ownAddresses(): readonly string[] {
  const all = Object.values(os.networkInterfaces()).flatMap((each) => each ?? []);
  const addresses = all.map(({ address }) => address);
  return ["127.0.0.1", "::1", os.hostname().toLowerCase(), ...addresses];
}
