/** Listens at this machine's address on the containers' network as soon as there is a container. */
import type { LaunchLog } from "../launcher.ts";

export interface HostListenerOptions {
  /** Name of the listener in log messages. */
  readonly what: string;
  /** Listens at one more address, and resolves to the URL there. Not called again for an address where it succeeded. */
  readonly open: (address: string) => Promise<string>;
  readonly log: LaunchLog;
}

/** How containers reach this machine. */
export interface HostPlace {
  /** An address of this machine on their network. */
  readonly address: string;
  /** The host name that they use. */
  readonly name: string;
}

export class HostListener {
  readonly #options: HostListenerOptions;
  #opened: { readonly address: string; readonly url: Promise<string | undefined> } | undefined;
  #hasWarned = false;

  constructor(options: HostListenerOptions) {
    this.#options = options;
  }

  /**
   * The URL for containers; undefined where they cannot reach the listener, for a reason that the log tells.
   *
   * @param place undefined where their network has no address of this machine
   */
  async url(place: HostPlace | undefined): Promise<string | undefined> {
    if (place === undefined) {
      this.#warn("their network has no address of this machine");
      return undefined;
    }
    const { address } = place;
    if (this.#opened?.address !== address) this.#opened = { address, url: this.#open(place) };
    const opened = this.#opened;
    const url = await opened.url;
    // The address may be there for the next container.
    if (url === undefined && this.#opened === opened) this.#opened = undefined;
    return url;
  }

  async #open({ address, name }: HostPlace): Promise<string | undefined> {
    const { what, open, log } = this.#options;
    try {
      const url = Object.assign(new URL(await open(address)), { hostname: name }).origin;
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
