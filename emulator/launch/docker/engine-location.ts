/** Finds whether the engine runs on this machine: whether a container can be given a socket of it, and reach it by its network. */
import { once } from "node:events";
import net from "node:net";
import os from "node:os";
import type { LaunchLog } from "../launcher.ts";
import { type ContainerEngine, type EngineContainer, EngineError } from "./container-engine.ts";
import { ownLabels } from "./containers/container-labels.ts";
import { bind, WORKER_SOCKET } from "./containers/container-options.ts";
import { unseenSource } from "./docker-errors.ts";

/** How containers reach this machine. */
export type HostRoute =
  /** Their engine runs on it: its sockets are mounted, and it has an address on their network, undefined where that cannot be told. */
  | { readonly engine: "here"; readonly gateway: string | undefined }
  /** It runs in a virtual machine or on another machine: they call this one by a name, and see of its files what is shared. */
  | { readonly engine: "elsewhere" };

export interface EngineLocationOptions {
  readonly engine: ContainerEngine;
  /** The value of the label by which this emulator's containers are known. */
  readonly emulator: string;
  /** Path of the worker port's socket here; no other machine has anything at that path. */
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
   * The answer is kept until `forget`.
   *
   * @param image one that is there
   * @param gateway that of the containers' network
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

  /** To be called when another engine may answer: the next container has it asked again. */
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

  /** By a container that is made as a worker's is, and never started. */
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

/** A socket leads from one process to another of the same kernel, wherever else its file is seen. */
function otherKernel(kernel: string | undefined): string | undefined {
  const own = os.release();
  if (kernel === undefined || kernel === own) return undefined;
  return `its kernel is ${kernel}, and this machine's ${own}`;
}

/** Of the list of this machine's addresses the system leaves out that of a network without containers. */
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
