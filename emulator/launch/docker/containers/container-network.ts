/** The network of this emulator's containers, on which they reach this machine and the Internet, but not each other. */
import { type ContainerEngine, EngineError, type FoundNetwork } from "../container-engine.ts";
import { networkLabels } from "./container-labels.ts";
import type { LaunchLog } from "../../launcher.ts";

/** The engine's own network, on which all containers reach each other. */
const DEFAULT_NETWORK = "bridge";

/** The option that says whether containers of a network reach each other. */
const ICC = "com.docker.network.bridge.enable_icc";

/** Options that are copied from the default network, where the engine's administrator sets them. */
const AS_THE_DEFAULT = [
  "com.docker.network.driver.mtu",
  "com.docker.network.bridge.enable_ip_masquerade",
] as const;

export interface ProvidedNetwork {
  readonly name: string;
  /** The address of this machine on the network. Undefined if it is unknown. */
  readonly gateway: string | undefined;
}

export interface ContainerNetworkOptions {
  readonly engine: ContainerEngine;
  /** Value of the label of this emulator's containers. */
  readonly emulator: string;
  readonly log: LaunchLog;
}

export class ContainerNetwork {
  readonly #options: ContainerNetworkOptions;
  readonly #name: string;
  #provided: Promise<ProvidedNetwork> | undefined;
  #isUsed = false;

  constructor(options: ContainerNetworkOptions) {
    this.#options = options;
    this.#name = `sv-${options.emulator}`;
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  /**
   * Resolves when the network exists. If the engine cannot make one, its default network is used, which is logged.
   *
   * @throws EngineError if the engine does not answer
   */
  async provide(): Promise<ProvidedNetwork> {
    this.#isUsed = true;
    this.#provided ??= this.#findOrMake();
    try {
      return await this.#provided;
    } catch (error) {
      this.#provided = undefined;
      throw error;
    }
  }

  /** Call it when the network may be gone. The next container looks for it again. */
  forget(): void {
    this.#provided = undefined;
  }

  /** @throws EngineError, also while containers are on the network */
  async remove(): Promise<void> {
    if (this.#isUsed) await this.#options.engine.remove("network", this.#name);
  }

  async #findOrMake(): Promise<ProvidedNetwork> {
    const { engine } = this.#options;
    const name = this.#name;
    try {
      const network = (await engine.findNetwork(name)) ?? (await this.#make());
      if (network.options[ICC] !== "false") this.#warn("the engine does not support the option");
      return { name, gateway: network.gateway };
    } catch (error) {
      if (!(error instanceof EngineError) || error.status === undefined) throw error;
      this.#warn(`the engine cannot make a network for that: ${error.message}`);
      const byDefault = await engine.findNetwork(DEFAULT_NETWORK);
      return { name: DEFAULT_NETWORK, gateway: byDefault?.gateway };
    }
  }

  async #make(): Promise<FoundNetwork> {
    const { engine, emulator } = this.#options;
    const name = this.#name;
    const byDefault = await engine.findNetwork(DEFAULT_NETWORK);
    const options = { ...settingsOf(byDefault?.options ?? {}), [ICC]: "false" };
    await engine.createNetwork({ name, labels: networkLabels(emulator), options });
    const made = await engine.findNetwork(name);
    if (made === undefined) throw new EngineError("the network was made, but cannot be found", 404);
    return made;
  }

  #warn(reason: string): void {
    this.#options.log.warn({}, `containers can reach each other: ${reason}`);
  }
}

function settingsOf(options: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    AS_THE_DEFAULT.flatMap((name) => {
      const value = options[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
