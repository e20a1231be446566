/** Finds the client of a request behind trusted proxies. Pure. */
import ipaddr from "ipaddr.js";

/** Forms by which trusted proxies are named, for messages. */
export const PROXY_PATTERN_RULE =
  "be an address, a range like 10.0.0.0/8 or fd00::/8, loopback, or private (10/8, 172.16/12, 192.168/16, fc00::/7)";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [Address, number];

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
};

/** Addresses as proxies write them: some add a port. */
const WRITTEN = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/u;

export class TrustedProxies {
  readonly #ranges: readonly Range[];
  /** Whether there are any. */
  readonly areSome: boolean;

  /** @param trusted as {@link isProxyPattern} takes them; empty: no peer is trusted */
  constructor(trusted: readonly string[]) {
    this.#ranges = trusted.flatMap((text) => rangesOf(text) ?? []);
    this.areSome = this.#ranges.length > 0;
  }

  trusts(address: string): boolean {
    const read = addressIn(address);
    return read !== undefined && this.#has(read);
  }

  /**
   * The client of a request: the last address of the chain that is not trusted, or the first one if all are trusted. An entry
   * that is no address cuts off everything before it.
   * @param peer address of the connection
   * @param forwardedFor the `X-Forwarded-For` headers, joined with commas
   */
  clientOf(peer: string, forwardedFor = ""): string {
    let client = peer;
    for (const text of forwardedFor.split(",").toReversed()) {
      const before = this.trusts(client) ? addressIn(text.trim()) : undefined;
      if (before === undefined) break;
      client = before.toString();
    }
    // A server that listens to IPv6 too sees an IPv4 address in an IPv6 form.
    return client.replace(/^::ffff:(?=\d+\.)/iu, "");
  }

  #has(address: Address): boolean {
    return this.#ranges.some(
      ([range, bits]) => range.kind() === address.kind() && address.match(range, bits),
    );
  }
}

/** Whether `text` names proxies in one of these forms. */
export function isProxyPattern(text: string): boolean {
  return rangesOf(text) !== undefined;
}

function rangesOf(text: string): readonly Range[] | undefined {
  const named = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  if (named !== undefined) return named.map((range) => ipaddr.parseCIDR(range));
  const [written = ""] = text.split("/", 1);
  if (!isAddress(written)) return undefined;
  if (written !== text) return ipaddr.isValidCIDR(text) ? [ipaddr.parseCIDR(text)] : undefined;
  const address = ipaddr.process(text);
  return [[address, address.kind() === "ipv4" ? 32 : 128]];
}

/** Undefined for an invalid address. */
function addressIn(text: string): Address | undefined {
  const [, six, four] = WRITTEN.exec(text) ?? [];
  const bare = six ?? four ?? text;
  return isAddress(bare) ? ipaddr.process(bare) : undefined;
}

/** Rejects short and octal forms of IPv4: programs read them in different ways. */
function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}
