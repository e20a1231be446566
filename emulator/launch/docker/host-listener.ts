/** Listens at this machine's address on the containers' network once the first container needs it. */
import type { LaunchLog } from "../launcher.ts";

export interface HostListenerOptions {
  /** Name of the listener in log messages. */
  readonly what: string;
  /** Listens at one more address, and resolves to its URL. Not called again for the same address after a success. */
  readonly open: (address: string) => Promise<string>;
  readonly log: LaunchLog;
}

/** How containers reach this machine. */
export interface HostPlace {
  /** The address of this machine on the containers' network. */
  readonly address: string;
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
   * The URL for containers. Undefined if they cannot reach the listener; the log has the reason.
   *
   * @param place undefined if the containers' network has no address of this machine
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
    // The next container tries again, because the address may exist then.
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
