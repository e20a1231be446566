/** Finds out whether the engine runs on this machine. If so, containers get the worker port as a socket. */
import { once } from "node:events";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import type { LaunchLog } from "../launcher.ts";
import { type ContainerEngine, type EngineContainer, EngineError } from "./container-engine.ts";
import { ownLabels } from "./containers/container-labels.ts";
import { bind } from "./containers/base-options.ts";
import { unseenSource } from "./docker-errors.ts";

/** How containers reach this machine. */
export type HostRoute =
  /**
   * The engine runs on this machine, and can mount its sockets. `gateway`: address of this machine on the containers' network,
   * if known.
   */
  | { readonly engine: "here"; readonly gateway: string | undefined }
  /**
   * The engine runs in a virtual machine or on another machine. Containers reach this machine by a host name, and see only its
   * shared files.
   */
  | { readonly engine: "elsewhere" };

export interface EngineLocationOptions {
  readonly engine: ContainerEngine;
  /** Value of the label of this emulator's containers. */
  readonly emulator: string;
  /** Path of the worker port's socket. No other machine has a file at that path. */
  readonly workerSocket: string;
  /** Removes a container. Never rejects. */
  readonly remove: (id: string) => Promise<void>;
  readonly log: LaunchLog;
}

/** Place of the socket's directory in the container that checks whether the engine sees it. */
const PROBED = "/run/sv-probe";

const HERE = "the Docker engine runs on this machine: containers get the worker port as a socket";

export class EngineLocation {
  readonly #options: EngineLocationOptions;
  /** Undefined: elsewhere. */
  #here: Promise<{ readonly isRootless: boolean } | undefined> | undefined;
  #told: string | undefined;

  constructor(options: EngineLocationOptions) {
    this.#options = options;
  }

  /**
   * Remembers the answer until `forget`.
   *
   * @param image an image that the engine has
   * @param gateway the gateway of the containers' network
   * @throws EngineError if the engine cannot be asked
   */
  async route(image: string, gateway: string | undefined): Promise<HostRoute> {
    this.#here ??= this.#find(image, gateway);
    try {
      const here = await this.#here;
      if (here === undefined) return { engine: "elsewhere" };
      // The networks of a rootless engine are in a namespace of its own.
      return { engine: "here", gateway: here.isRootless ? undefined : gateway };
    } catch (error) {
      this.#here = undefined;
      throw error;
    }
  }

  /** Drops the answer. Call it when another engine may answer. */
  forget(): void {
    this.#here = undefined;
  }

  async #find(image: string, gateway: string | undefined) {
    const { kernel, isRootless, foreignName } = await this.#options.engine.describe();
    // Podman makes a network's gateway when the first container starts.
    const hasGateway = !isRootless && foreignName === undefined;
    const reason =
      otherKernel(kernel) ??
      (hasGateway ? await foreignGateway(gateway) : undefined) ??
      (await this.#unseen(image));
    const told =
      reason === undefined
        ? HERE
        : `the Docker engine runs in a virtual machine or on another machine, because ${reason}: containers reach this machine as host.docker.internal, unless --worker-address is set`;
    if (told !== this.#told) this.#options.log.info({}, told);
    this.#told = told;
    return reason === undefined ? { isRootless } : undefined;
  }

  /** Makes a container like a worker's, without starting it, and checks whether it sees the socket. */
  async #unseen(image: string): Promise<string | undefined> {
    const { engine, emulator, workerSocket, remove } = this.#options;
    // Podman cannot say whether a container has a file that is mounted itself.
    const { dir: directory, base: name } = path.parse(workerSocket);
    const reason = `it does not see ${workerSocket} of this machine`;
    let container: EngineContainer | undefined;
    try {
      container = await engine.create({
        Image: image,
        Cmd: ["none"],
        Labels: { ...ownLabels("probe", emulator) },
        HostConfig: { NetworkMode: "none", Mounts: [bind(directory, PROBED)] },
      });
      return (await container.has(path.posix.join(PROBED, name))) ? undefined : reason;
    } catch (error) {
      if (error instanceof EngineError && unseenSource(error) !== undefined) return reason;
      throw error;
    } finally {
      if (container !== undefined) await remove(container.id);
    }
  }
}

/**
 * The reason if the containers have another kernel. A socket connects only processes of one kernel, even if another kernel sees
 * its file.
 */
function otherKernel(kernel: string | undefined): string | undefined {
  const own = os.release();
  if (kernel === undefined || kernel === own) return undefined;
  return `its kernel is ${kernel}, and this machine's ${own}`;
}

/**
 * The reason if the gateway is not an address of this machine. Tries to listen there, because the system's list of addresses
 * omits networks without containers.
 */
async function foreignGateway(gateway: string | undefined): Promise<string | undefined> {
  if (gateway === undefined) return undefined;
  const server = net.createServer();
  try {
    await once(server.listen({ host: gateway, port: 0 }), "listening");
    return undefined;
  } catch {
    return `${gateway}, the gateway of its containers, is not an address of this machine`;
  } finally {
    server.close();
  }
}
