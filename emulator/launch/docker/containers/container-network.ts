/** The network of this emulator's containers: they reach this machine and what lies beyond it, and not each other. */
import { type ContainerEngine, EngineError, type FoundNetwork } from "../container-engine.ts";
import { networkLabels } from "./container-labels.ts";
import type { LaunchLog } from "../../launcher.ts";

/** The engine's own, where all containers reach each other. */
const DEFAULT_NETWORK = "bridge";

/** Whether containers of a network reach each other. */
const ICC = "com.docker.network.bridge.enable_icc";

/** What whoever set up the engine said of its default network, and of each other one has to be said again. */
const AS_THE_DEFAULT = [
  "com.docker.network.driver.mtu",
  "com.docker.network.bridge.enable_ip_masquerade",
] as const;

/** A network that containers can be on. */
export interface ProvidedNetwork {
  readonly name: string;
  /** This machine's address on it; undefined where that cannot be told. */
  readonly gateway: string | undefined;
}

export interface ContainerNetworkOptions {
  readonly engine: ContainerEngine;
  /** The value of the label by which this emulator's containers are known. */
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

  /** Whether this run of the emulator has made it, or found it. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /**
   * Resolves when it is there. An engine that cannot make such a network has its default one instead; the log says so.
   *
   * @throws EngineError where there is no answer
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

  /** To be called when it may be gone: the next container has it looked for. */
  forget(): void {
    this.#provided = undefined;
  }

  /** @throws EngineError, also where containers are on it */
  async remove(): Promise<void> {
    if (this.#isUsed) await this.#options.engine.removeNetwork(this.#name);
  }

  async #findOrMake(): Promise<ProvidedNetwork> {
    const { engine } = this.#options;
    const name = this.#name;
    try {
      const network = (await engine.findNetwork(name)) ?? (await this.#make());
      if (network.options[ICC] !== "false") this.#warn("the engine does not know how");
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
    if (made === undefined) throw new EngineError("it was made, and is not there", 404);
    return made;
  }

  #warn(reason: string): void {
    this.#options.log.warn({}, `containers are not kept apart from each other: ${reason}`);
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
