/** Reads answers of a Docker engine: its facts, its failures, and the address of this machine on its networks. Pure. */
import type { DockerVersion } from "dockerode";
import { dockerUnreachable } from "../../docker/docker-unreachable.ts";
import { type EngineFacts, EngineError } from "./container-engine.ts";

/** Codes of a failed connection. Any other error without a status concerns only the request. */
const CONNECTION_FAILED: ReadonlySet<unknown> = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT"],
  ...["ENOENT", "ENOTDIR", "EACCES", "EPERM"],
  ...["ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "EHOSTDOWN", "ENETUNREACH", "ENETDOWN"],
]);

/** @param host the value of `DOCKER_HOST`, if it is set */
export function asEngineError(error: unknown, host: string | undefined): EngineError {
  if (error instanceof EngineError) return error;
  const status = statusOf(error);
  if (status !== undefined) return new EngineError(messageOf(error), status, { cause: error });
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const contact = CONNECTION_FAILED.has(code) ? "lost" : "kept";
  return new EngineError(dockerUnreachable(error, host), undefined, { cause: error, contact });
}

export function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" ? status : undefined;
}

/** The engine's own sentence, without the library's words around it. */
function messageOf(error: unknown): string {
  const json = error instanceof Error && "json" in error ? error.json : undefined;
  if (typeof json === "object" && json !== null && "message" in json) return String(json.message);
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^\(HTTP code \d+\) [^-]* - /u, "").trim();
}

/** Name of Docker's engine in the list of its components. */
const DOCKERS_OWN = "Engine";

const ROOTLESS = "name=rootless";

interface Info {
  readonly KernelVersion?: string;
  readonly SecurityOptions?: readonly string[];
  /** Only podman has it. */
  readonly Rootless?: boolean;
}

/** @param info the engine's answer, which may be any value */
export function factsOf(version: Partial<DockerVersion>, info: unknown): EngineFacts {
  const { KernelVersion, SecurityOptions, Rootless }: Info =
    typeof info === "object" && info !== null ? info : {};
  const isRootless = Rootless === true || SecurityOptions?.includes(ROOTLESS) === true;
  const { Os, Arch: Architecture } = version;
  const platform = platformOf({ Os, Architecture });
  return { foreignName: foreignName(version), kernel: KernelVersion, isRootless, platform };
}

/** The used part of an image's description. */
interface Image {
  readonly Os?: string;
  readonly Architecture?: string;
  readonly Variant?: string;
}

/**
 * The platform of an image. Undefined if a part other than the variant is unknown.
 * @param image the engine's answer, which may be any value
 */
export function platformOf(image: unknown): string | undefined {
  const { Os, Architecture, Variant }: Image =
    typeof image === "object" && image !== null ? image : {};
  if (!Os || !Architecture) return undefined;
  return [Os, Architecture, ...(Variant ? [Variant] : [])].join("/");
}

/** Name and version of a foreign engine. Undefined for Docker's own, and for an engine that does not name itself. */
function foreignName({ Components: components = [] }: Partial<DockerVersion>): string | undefined {
  const [first] = components;
  if (first?.Name === undefined || components.some(({ Name: name }) => name === DOCKERS_OWN))
    return undefined;
  return [first.Name, first.Version].filter((word) => word !== undefined).join(" ");
}

/** The used part of a network's description. */
export interface NetworkDescription {
  readonly IPAM?: { readonly Config?: readonly Subnet[] | undefined } | undefined;
}

interface Subnet {
  readonly Subnet?: string | undefined;
  readonly Gateway?: string | undefined;
}

/** The gateway, or else the subnet's first address, which engines choose by default. Undefined without IPv4. */
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
