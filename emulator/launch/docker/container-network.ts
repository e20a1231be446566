/** The network of this emulator's containers: they reach this machine and what lies beyond it, and not each other. */
import { type ContainerEngine, EngineError } from "./container-engine.ts";
import { networkLabels } from "./container-labels.ts";
import type { LaunchLog } from "./launch-log.ts";

/** The engine's own, where all containers reach each other. */
const DEFAULT_NETWORK = "bridge";

/** What the network is like. `enable_icc` is communication between its containers. */
const KEPT_APART = { "com.docker.network.bridge.enable_icc": "false" } as const;

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
    const { engine, emulator, log } = this.#options;
    const name = this.#name;
    const found = await engine.findNetwork(name);
    if (found !== undefined) return { name, gateway: found.gateway };
    const byDefault = await engine.findNetwork(DEFAULT_NETWORK);
    try {
      const options = { ...settingsOf(byDefault?.options ?? {}), ...KEPT_APART };
      await engine.createNetwork({ name, labels: networkLabels(emulator), options });
      return { name, gateway: (await engine.findNetwork(name))?.gateway };
    } catch (error) {
      if (!(error instanceof EngineError) || error.status === undefined) throw error;
      const message = `containers are not kept apart from each other, because the engine cannot make a network for that: ${error.message}`;
      log.warn({}, message);
      return { name: DEFAULT_NETWORK, gateway: byDefault?.gateway };
    }
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
