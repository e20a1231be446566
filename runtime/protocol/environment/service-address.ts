/** The address of a worker's service: one place, or several that share their endpoints. Pure. */
import { socketPathProblem, unixSocketOf } from "./socket-path.ts";

/** One place. */
export type ServicePlace =
  /** An address without TLS: a socket of this machine. */
  | { readonly kind: "plain"; readonly target: string }
  | { readonly kind: "tls"; readonly host: string; readonly port: number };

export const SERVICE_ADDRESS_RULE =
  "must be tls://host:port, unix:/path (103 bytes at most), or host:port of this machine (127.0.0.1, localhost), with commas between several; without TLS anyone on the way could read the token";

/** The places of `SV_SERVICE_ADDRESS`; undefined for an invalid text. */
export function servicePlaces(address: string): readonly ServicePlace[] | undefined {
  const places = address.split(",").map((text) => placeOf(text.trim()));
  return places.some((place) => place === undefined)
    ? undefined
    : places.filter((place) => place !== undefined);
}

/** The text of a place. */
export function placeText(place: ServicePlace): string {
  return place.kind === "plain" ? place.target : `tls://${authorityOf(place)}`;
}

/** A host and a port as an address, with brackets around an IPv6 address. */
export function authorityOf({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): string {
  return `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}

function placeOf(text: string): ServicePlace | undefined {
  const socket = unixSocketOf(text);
  if (socket !== undefined)
    return socketPathProblem(socket) === undefined ? { kind: "plain", target: text } : undefined;
  const match =
    /^(?<scheme>tls:\/\/)?(?:\[(?<v6>[\da-f:.]+)\]|(?<name>[^:/?#@\s[\]]+)):(?<port>\d{1,5})$/iu.exec(
      text,
    );
  const { scheme, v6, name, port } = match?.groups ?? {};
  const host = v6 ?? name;
  const number = Number(port);
  if (host === undefined || !(number >= 1 && number <= 65_535)) return undefined;
  if (scheme !== undefined) return { kind: "tls", host, port: number };
  return isLoopback(host) ? { kind: "plain", target: text } : undefined;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/u.test(host);
}
