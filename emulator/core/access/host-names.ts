/**
 * Which values of the Host header name this service. A page whose host name was made to resolve to this machine (DNS
 * rebinding) has the same origin as the service in the eyes of the browser; only its name gives it away. Pure.
 */

export interface HostNamesOptions {
  /** The address or the name that the service listens at. */
  readonly host: string;
  /** The machine's own name; it names the service where that listens to more than loopback. */
  readonly machineName: string;
  /** Further names as {@link isHostPattern} takes them. */
  readonly allowed: readonly string[];
}

/** What a further name has to be, for messages. */
export const HOST_PATTERN_RULE =
  "be a host name or an address without scheme and port, *.example.com for all names below that one, or * for any";

/** What containers call the machine that they run on: names that no public name server gives out. */
const MACHINE_OF_CONTAINERS = ["host.docker.internal", "host.containers.internal"];

const ANY = "*";
const BELOW = "*.";
const AUTHORITY = /^(\[[\da-f:.]+\]|[^\s:/?#@\\[\]%,*]+)(?::\d{1,5})?$/iu;
const ADDRESS = /^(?:\[.*\]|\d+\.\d+\.\d+\.\d+)$/u;
const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/u;
const LOCALHOST = "localhost";
const EVERY_ADDRESS = new Set(["0.0.0.0", "[::]"]);

export class HostNames {
  readonly #names: ReadonlySet<string>;
  /** With the dot before it. */
  readonly #endings: readonly string[];
  readonly #takesAny: boolean;
  readonly #takesAddresses: boolean;
  /** Most callers come again with the same. */
  #admittedLast: string | undefined;

  constructor({ host, machineName, allowed }: HostNamesOptions) {
    const bound = nameOf(host) ?? host;
    const isWide = !isLoopback(bound);
    const exact = allowed.filter((pattern) => !pattern.startsWith(ANY));
    const all = [bound, ...(isWide ? [machineName] : []), ...MACHINE_OF_CONTAINERS, ...exact];
    this.#names = new Set(all.map((name) => nameOf(name) ?? name));
    this.#endings = allowed
      .filter((pattern) => pattern.startsWith(BELOW))
      .map((pattern) => pattern.slice(1).toLowerCase());
    this.#takesAny = allowed.includes(ANY);
    // No name server decides about an address, and from within a container nobody knows those of its machine.
    this.#takesAddresses = EVERY_ADDRESS.has(bound);
  }

  /** @param localAddress the address of this machine that the connection came to */
  admits(authority: string, localAddress: string | undefined): boolean {
    if (authority === this.#admittedLast) return true;
    const [, written = ""] = AUTHORITY.exec(authority) ?? [];
    const name = nameOf(written);
    if (name === undefined) return false;
    if (this.#isKnown(name)) {
      this.#admittedLast = authority;
      return true;
    }
    return ADDRESS.test(name) && localAddress !== undefined && name === ownAddress(localAddress);
  }

  #isKnown(name: string): boolean {
    if (this.#takesAny || isLoopback(name) || this.#names.has(name)) return true;
    if (this.#takesAddresses && ADDRESS.test(name)) return true;
    return this.#endings.some((ending) => name.endsWith(ending) && name !== ending);
  }
}

/** Whether it can be allowed as a further name. */
export function isHostPattern(text: string): boolean {
  if (text === ANY) return true;
  const name = text.startsWith(BELOW) ? text.slice(BELOW.length) : text;
  return AUTHORITY.exec(name)?.[1] === name && nameOf(name) !== undefined;
}

/** Whether a Host header can be like that: a name or an address, with or without a port. */
export function isAuthority(text: string): boolean {
  return nameOf(AUTHORITY.exec(text)?.[1] ?? "") !== undefined;
}

/** As names are compared: small letters, no dot at the end, addresses in their shortest form. Undefined if it is none. */
function nameOf(host: string): string | undefined {
  const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}`;
  if (host === "" || !URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/\.$/u, "");
}

function isLoopback(name: string): boolean {
  return name === LOCALHOST || name.endsWith(`.${LOCALHOST}`) || LOOPBACK.test(name);
}

/** As a client writes it: an IPv4 address looks like one of IPv6 to a server that listens to both. */
function ownAddress(localAddress: string): string | undefined {
  return nameOf(localAddress.replace(/^::ffff:(?=\d+\.)/iu, "").replace(/%.*$/u, ""));
}
