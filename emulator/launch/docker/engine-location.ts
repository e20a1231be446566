/** Finds out whether the engine runs on this machine: then containers get the worker port as a socket. */
import { once } from "node:events";
import net from "node:net";
import os from "node:os";
import type { LaunchLog } from "../launcher.ts";
import { type ContainerEngine, type EngineContainer, EngineError } from "./container-engine.ts";
import { ownLabels } from "./containers/container-labels.ts";
import { bind } from "./containers/base-options.ts";
import { WORKER_SOCKET } from "./containers/container-options.ts";
import { unseenSource } from "./docker-errors.ts";

/** How containers reach this machine. */
export type HostRoute =
  /** The engine runs on this machine: its sockets can be mounted. `gateway` is its address on their network, if that is known. */
  | { readonly engine: "here"; readonly gateway: string | undefined }
  /** The engine runs in a virtual machine or elsewhere: containers call this machine by a name, and see its shared files alone. */
  | { readonly engine: "elsewhere" };

export interface EngineLocationOptions {
  readonly engine: ContainerEngine;
  /** Value of the label by which this emulator knows its containers. */
  readonly emulator: string;
  /** Path of the worker port's socket. No other machine has a file at that path. */
  readonly workerSocket: string;
  /** Removes a container. Never rejects. */
  readonly remove: (id: string) => Promise<void>;
  readonly log: LaunchLog;
}

const HERE = "the Docker engine runs on this machine: containers get the worker port as a socket";

export class EngineLocation {
  readonly #options: EngineLocationOptions;
  #isHere: Promise<boolean> | undefined;
  #told: string | undefined;

  constructor(options: EngineLocationOptions) {
    this.#options = options;
  }

  /**
   * Remembers the answer until `forget`.
   *
   * @param image an image that the engine has
   * @param gateway the gateway of the containers' network
   * @throws EngineError where the engine does not say
   */
  async isHere(image: string, gateway: string | undefined): Promise<boolean> {
    this.#isHere ??= this.#find(image, gateway);
    try {
      return await this.#isHere;
    } catch (error) {
      this.#isHere = undefined;
      throw error;
    }
  }

  /** Call it when another engine may answer: the next container asks again. */
  forget(): void {
    this.#isHere = undefined;
  }

  async #find(image: string, gateway: string | undefined): Promise<boolean> {
    const { kernel, isRootless } = await this.#options.engine.describe();
    const reason =
      otherKernel(kernel) ??
      (isRootless ? undefined : await foreignGateway(gateway)) ??
      (await this.#unseen(image));
    const told =
      reason === undefined
        ? HERE
        : `the Docker engine runs in a virtual machine or on another machine, for ${reason}: containers call this one host.docker.internal, unless --worker-address says otherwise`;
    if (told !== this.#told) this.#options.log.info({}, told);
    this.#told = told;
    return reason === undefined;
  }

  /** Makes a container like a worker's, without starting it, and asks whether it sees the socket. */
  async #unseen(image: string): Promise<string | undefined> {
    const { engine, emulator, workerSocket, remove } = this.#options;
    const reason = `it does not see ${workerSocket} of this machine`;
    let container: EngineContainer | undefined;
    try {
      container = await engine.create({
        Image: image,
        Cmd: ["none"],
        Labels: { ...ownLabels("probe", emulator) },
        HostConfig: { NetworkMode: "none", Mounts: [bind(workerSocket, WORKER_SOCKET)] },
      });
      return (await container.has(WORKER_SOCKET)) ? undefined : reason;
    } catch (error) {
      if (error instanceof EngineError && unseenSource(error) !== undefined) return reason;
      throw error;
    } finally {
      if (container !== undefined) await remove(container.id);
    }
  }
}

/** A socket connects processes of one kernel only, even where another one sees its file. */
function otherKernel(kernel: string | undefined): string | undefined {
  const own = os.release();
  if (kernel === undefined || kernel === own) return undefined;
  return `its kernel is ${kernel}, and this machine's ${own}`;
}

/** Tries to listen at the gateway: the system's list of addresses omits that of a network without containers. */
async function foreignGateway(gateway: string | undefined): Promise<string | undefined> {
  if (gateway === undefined) return undefined;
  const server = net.createServer();
  try {
    await once(server.listen({ host: gateway, port: 0 }), "listening");
    return undefined;
  } catch {
    return `${gateway}, the gateway of its containers, is no address of this machine`;
  } finally {
    server.close();
  }
}
