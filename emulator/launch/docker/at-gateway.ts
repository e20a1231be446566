/** A part of the service that listens at this machine's address on the containers' network, as soon as there is a container. */
import type { LaunchLog } from "./launch-log.ts";

export interface AtGatewayOptions {
  /** What it is, in the words of the log. */
  readonly what: string;
  /** This machine's address on the network of the containers. */
  readonly gateway: () => Promise<string | undefined>;
  /** Has it listen at that address too; resolves with its URL there. Not called again once it has succeeded. */
  readonly open: (address: string) => Promise<string>;
  readonly log: LaunchLog;
}

export class AtGateway {
  readonly #options: AtGatewayOptions;
  #url: Promise<string | undefined> | undefined;
  #hasWarned = false;

  constructor(options: AtGatewayOptions) {
    this.#options = options;
  }

  /** Undefined where containers cannot reach it; the log says why. */
  async url(): Promise<string | undefined> {
    this.#url ??= this.#open();
    const url = await this.#url;
    // The next container may find a network that is not there now.
    if (url === undefined) this.#url = undefined;
    return url;
  }

  async #open(): Promise<string | undefined> {
    const { what, gateway, open, log } = this.#options;
    try {
      const address = await gateway();
      if (address === undefined)
        throw new Error("the engine has no bridge network with an address");
      const url = await open(address);
      log.info({ url }, `${what} also answers containers, at ${url}`);
      return url;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#hasWarned) log.warn({}, `containers cannot reach ${what}: ${reason}`);
      this.#hasWarned = true;
      return undefined;
    }
  }
}
