/** Reads from a template where its HTTP server listens and where its health is asked for. Pure. */
import { SERVER_ENV } from "../../runtime/protocol/worker-env.ts";
import type { Template } from "../core/resources/template.ts";

const DEFAULT_HEALTH_PATH = "/ping";
/** What `PORT` is where a template says nothing (live). */
const DEFAULT_PORT = "80";

export interface ServerSettings {
  /** As written; on a machine of its own the server listens there. */
  readonly port: string;
  /** The same as `port` where one port is enough. */
  readonly healthPort: string;
  /** As its program is told. */
  readonly writtenHealthPath: string;
  /** As it stands in a request line, whatever was written. */
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
