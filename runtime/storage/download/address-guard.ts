/** Keeps connections away from addresses that are not public, whatever name leads to them. */
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import net, { type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { outgoing } from "../../proxies/outgoing.ts";
import { proxyVariables } from "../../proxies/proxy-choice.ts";
import { StorageError } from "../storage-error.ts";

export interface GuardOptions {
  /** Timeout for making a connection, ms. */
  readonly timeout: number;
  /** Default: whether the address is neither private, local, reserved nor another form of such an address. */
  readonly isPublic?: (address: string) => boolean;
  /** Default: the system's. */
  readonly lookup?: typeof systemLookup;
  /** The error for a host that leads elsewhere; default: a StorageError. */
  readonly forbidden?: (host: string) => Error;
}

/** Connects to public addresses only. The connected address counts, not an earlier lookup of the name. */
export function guardedConnector({
  timeout,
  isPublic = isPublicAddress,
  lookup = systemLookup,
  forbidden = forbiddenDownload,
}: GuardOptions): buildConnector.connector {
  const connect = buildConnector({ timeout, lookup: guardedLookup(isPublic, lookup, forbidden) });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, "$1");
    // An address is not looked up.
    if (net.isIP(host) !== 0 && !isPublic(host)) return callback(forbidden(host), null);
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (isPublic(socket.remoteAddress ?? "")) return callback(null, socket);
      socket.destroy();
      callback(forbidden(host), null);
    });
  };
}

/**
 * An agent that connects to public addresses only. A proxy connects to whatever a name means to it: a name that leads elsewhere here
 * is refused before, and one that is not known here is the proxy's business.
 */
export function guardedOutgoing(guard: GuardOptions, options: Agent.Options = {}): Dispatcher {
  const direct = new Agent({ ...options, connect: guardedConnector(guard) });
  if (proxyVariables() === undefined) return direct;
  const { isPublic = isPublicAddress, lookup = systemLookup } = guard;
  const proxied = outgoing({ ...options, connect: guardedConnector(guard) });
  return direct.compose((dispatch) => (request, handler) => {
    const { hostname } = new URL(String(request.origin));
    lookup(hostname.replace(/^\[(.*)\]$/, "$1"), { all: true }, (error, found) => {
      const isElsewhere = error === null && found.some(({ address }) => !isPublic(address));
      if (isElsewhere) dispatch(request, handler);
      else proxied.dispatch(request, handler);
    });
    return true;
  });
}

/** True for an address that is public on the internet. An IPv4 address within an IPv6 address is checked too. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "unicast";
}

/** Finds all public addresses of a name. Node then tries one after another. */
function guardedLookup(
  isPublic: (address: string) => boolean,
  lookup: typeof systemLookup,
  forbidden: (host: string) => Error,
): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error !== null) return callback(error, [], 0);
      const allowed = found.filter(({ address }) => isPublic(address));
      const [first] = allowed;
      if (first === undefined) return callback(forbidden(hostname), [], 0);
      if (options.all === true) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

function forbiddenDownload(host: string): StorageError {
  return new StorageError(
    "download_forbidden_address",
    `"${host}" leads to an address that is not public, and forbidPrivateAddresses is set.`,
  );
}
