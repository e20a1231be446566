/** Finds this machine's own address on the network of the containers. Pure. */

/** What the engine says of a network, as far as it matters here. */
export interface NetworkDescription {
  readonly IPAM?: { readonly Config?: readonly Subnet[] | undefined } | undefined;
}

interface Subnet {
  readonly Subnet?: string | undefined;
  readonly Gateway?: string | undefined;
}

/** Engines leave the gateway out where they chose it themselves: the first address of the subnet. Undefined without IPv4. */
export function gatewayOf({ IPAM: ipam }: NetworkDescription): string | undefined {
  for (const { Subnet: subnet, Gateway: gateway } of ipam?.Config ?? []) {
    if (gateway !== undefined && isIpv4(gateway)) return gateway;
    const first = firstAddressOf(subnet ?? "");
    if (first !== undefined) return first;
  }
  return undefined;
}

function isIpv4(text: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/u.test(text);
}

function firstAddressOf(subnet: string): string | undefined {
  const [, address = "", bits = ""] = /^(\d+\.\d+\.\d+\.\d+)\/(\d+)$/u.exec(subnet) ?? [];
  if (address === "" || Number(bits) > 30) return undefined;
  const number = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  const size = 2 ** (32 - Number(bits));
  const first = Math.floor(number / size) * size + 1;
  return [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".");
}
