/** Reads the ports and the health path of an HTTP server from its template. Pure. */
import { SERVER_ENV } from "../../runtime/protocol/environment/worker-env.ts";
import type { Template } from "../core/resources/templates/template.ts";

const DEFAULT_HEALTH_PATH = "/ping";
/** Default of `PORT` (live). */
const DEFAULT_PORT = "80";

export interface ServerSettings {
  /** Port from the template; a server in a container listens there. */
  readonly port: string;
  /** Equal to `port` where one port is enough. */
  readonly healthPort: string;
  /** Value from the template, for the program. */
  readonly writtenHealthPath: string;
  /** Encoded for a request line. */
  readonly healthPath: string;
}

export function serverSettings({ env }: Pick<Template, "env">): ServerSettings {
  const port = env[SERVER_ENV.port] ?? DEFAULT_PORT;
  const writtenHealthPath = env[SERVER_ENV.healthPath] ?? DEFAULT_HEALTH_PATH;
  return {
    port,
    healthPort: env[SERVER_ENV.healthPort] ?? port,
    writtenHealthPath,
    healthPath: pathOf(writtenHealthPath),
  };
}

function pathOf(written: string): string {
  if (written === "") return DEFAULT_HEALTH_PATH;
  const { pathname, search } = new URL(`http://worker/${written.replace(/^\/+/u, "")}`);
  return pathname + search;
}
