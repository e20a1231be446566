/** Listens at this machine's address on the containers' network as soon as there is a container. */
import type { LaunchLog } from "../launch-log.ts";

export interface GatewayListenerOptions {
  /** What it is, in the words of the log. */
  readonly what: string;
  /** Has it listen at that address too; resolves with its URL there. Not called again for an address where it has succeeded. */
  readonly open: (address: string) => Promise<string>;
  readonly log: LaunchLog;
}

export class GatewayListener {
  readonly #options: GatewayListenerOptions;
  #opened: { readonly address: string; readonly url: Promise<string | undefined> } | undefined;
  #hasWarned = false;

  constructor(options: GatewayListenerOptions) {
    this.#options = options;
  }

  /**
   * Undefined where containers cannot reach it; the log says why.
   *
   * @param gateway this machine's address on the network of the container; undefined where there is none
   */
  async url(gateway: string | undefined): Promise<string | undefined> {
    if (gateway === undefined) {
      this.#warn("their network has no address of this machine");
      return undefined;
    }
    if (this.#opened?.address !== gateway)
      this.#opened = { address: gateway, url: this.#open(gateway) };
    const opened = this.#opened;
    const url = await opened.url;
    // The next container may find an address that is not there now.
    if (url === undefined && this.#opened === opened) this.#opened = undefined;
    return url;
  }

  async #open(address: string): Promise<string | undefined> {
    const { what, open, log } = this.#options;
    try {
      const url = await open(address);
      log.info({ url }, `${what} also answers containers, at ${url}`);
      return url;
    } catch (error) {
      this.#warn(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  #warn(reason: string): void {
    const { what, log } = this.#options;
    if (!this.#hasWarned) log.warn({}, `containers cannot reach ${what}: ${reason}`);
    this.#hasWarned = true;
  }
}
