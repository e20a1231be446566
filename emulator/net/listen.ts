/** Opens a server's port, or explains why it cannot be opened. */
import { once } from "node:events";
import type { Server } from "node:net";

export interface ListenAddress {
  /** Host name or address of this machine. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** The service cannot listen at the address for the `reason`. */
export class ListenError extends Error {
  override readonly name: string = "ListenError";
  /** `port-in-use`, `bad-host` (no address of this machine), `not-permitted` (a low port) or `failed`. */
  readonly reason: "port-in-use" | "bad-host" | "not-permitted" | "failed";

  constructor(reason: ListenError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** Another program listens at the address already. Choose another port, or end that program. */
export class PortInUseError extends ListenError {
  override readonly name = "PortInUseError";

  constructor({ host, port }: ListenAddress, options?: ErrorOptions) {
    super("port-in-use", `port ${port} on ${host} is in use by another program`, options);
  }
}

/** Resolves with the port number. @throws ListenError */
export async function listen(server: Server, address: ListenAddress): Promise<number> {
  try {
    server.listen({ host: address.host, port: address.port });
    await once(server, "listening");
  } catch (error) {
    throw explained(address, error);
  }
  const bound = server.address();
  return typeof bound === "object" && bound !== null ? bound.port : address.port;
}

function explained(address: ListenAddress, cause: unknown): ListenError {
  const { host, port } = address;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  switch (code) {
    case "EADDRINUSE":
      return new PortInUseError(address, { cause });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EINVAL":
      return new ListenError("bad-host", `${host} is no address of this machine`, { cause });
    case "EACCES":
    case "EPERM":
      return new ListenError(
        "not-permitted",
        `port ${port} on ${host} may not be used by this user`,
        { cause },
      );
    case "ERR_SOCKET_BAD_PORT":
      return new ListenError("failed", `${port} is no port; it must be from 0 to 65535`, { cause });
    default:
      return new ListenError("failed", `cannot listen at ${host}:${port}: ${String(cause)}`, {
        cause,
      });
  }
}

/** The base URL of a server at that address. */
export function urlOf(
  { host }: Pick<ListenAddress, "host">,
  port: number,
  scheme: "http" | "https" = "http",
): string {
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
