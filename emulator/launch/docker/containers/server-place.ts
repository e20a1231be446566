/** Finds the address of the HTTP server in the container of a load balancing endpoint's worker. */
import type { ServerAddress, WorkerOrder } from "../../launcher.ts";
import { serverSettings } from "../../server-settings.ts";
import type { EngineContainer } from "../container-engine.ts";
import { isServer } from "../../container-environment.ts";
import { serverPorts } from "./container-options.ts";

export interface ServerPlace {
  /** Settles when it is found; absent for a worker that is none. */
  readonly server?: Promise<ServerAddress>;
  /** @throws Error when the container has ended already */
  readonly find: (container: EngineContainer) => Promise<void>;
}

export function serverPlace(order: WorkerOrder): ServerPlace {
  if (!isServer(order)) return { find: async () => undefined };
  const found = Promise.withResolvers<ServerAddress>();
  return {
    server: found.promise,
    find: async (container) => found.resolve(await addressOf(container, order)),
  };
}

async function addressOf(container: EngineContainer, order: WorkerOrder): Promise<ServerAddress> {
  const published = await container.ports();
  const [port = 0, healthPort = 0] = serverPorts(order).map((name) => published.get(name));
  if (port === 0)
    throw new Error("the container's server ended at once, or its port is not published");
  return { port, healthPort, healthPath: serverSettings(order.template).healthPath };
}
