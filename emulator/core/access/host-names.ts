/**
 * Decides which values of the Host header name this service. With DNS rebinding, a foreign page's host name resolves to this
 * machine. The browser then treats the page and the service as one origin; they differ only in the name in the Host header.
 * Pure.
 */

export interface HostNamesOptions {
  /** The address or name that the service listens at. */
  readonly host: string;
  /** The machine's own name. It names the service if the service listens to more than loopback. */
  readonly machineName: string;
  /** Further names, as {@link isHostPattern} takes them. */
  readonly allowed: readonly string[];
}

/** Form of a further name, for messages. */
export const HOST_PATTERN_RULE =
  "be a host name or an address without scheme and port, *.example.com for all names below that one, or * for any";

/** Names by which containers reach their machine; no public name server resolves them. */
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
  /** The suffix, with its leading dot. */
  readonly #endings: readonly string[];
  readonly #takesAny: boolean;
  readonly #takesAddresses: boolean;

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
    // An address needs no name server, and containers do not know the addresses of their machine.
    this.#takesAddresses = EVERY_ADDRESS.has(bound);
  }

  /** @param localAddress the address of this machine that the client connected to */
  admits(authority: string, localAddress: string | undefined): boolean {
    const [, written = ""] = AUTHORITY.exec(authority) ?? [];
    const name = nameOf(written);
    if (name === undefined) return false;
    if (this.#isKnown(name)) return true;
    return ADDRESS.test(name) && localAddress !== undefined && name === ownAddress(localAddress);
  }

  #isKnown(name: string): boolean {
    if (this.#takesAny || isLoopback(name) || this.#names.has(name)) return true;
    if (this.#takesAddresses && ADDRESS.test(name)) return true;
    return this.#endings.some((ending) => name.endsWith(ending) && name !== ending);
  }
}

/** Whether `text` can be allowed as a further name. */
export function isHostPattern(text: string): boolean {
  if (text === ANY) return true;
  const name = text.startsWith(BELOW) ? text.slice(BELOW.length) : text;
  return AUTHORITY.exec(name)?.[1] === name && nameOf(name) !== undefined;
}

/** Whether `text` has the form of a Host header: a name or an address, with or without a port. */
export function isAuthority(text: string): boolean {
  return nameOf(AUTHORITY.exec(text)?.[1] ?? "") !== undefined;
}

/**
 * The name as it is compared: lower case, no dot at the end, addresses in their shortest form. Undefined for an invalid one.
 */
function nameOf(host: string): string | undefined {
  const url = `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}`;
  if (host === "" || !URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/\.$/u, "");
}

function isLoopback(name: string): boolean {
  return name === LOCALHOST || name.endsWith(`.${LOCALHOST}`) || LOOPBACK.test(name);
}

/** The address as a client writes it. A server that listens to IPv6 too sees an IPv4 address in an IPv6 form. */
function ownAddress(localAddress: string): string | undefined {
  return nameOf(localAddress.replace(/^::ffff:(?=\d+\.)/iu, "").replace(/%.*$/u, ""));
}
