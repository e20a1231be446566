/** Listens where containers reach this machine as soon as there is a container. */
import type { LaunchLog } from "../launcher.ts";

export interface HostListenerOptions {
  /** What it is, in the words of the log. */
  readonly what: string;
  /** Has it listen at that address too; resolves with its URL there. Not called again for an address where it has succeeded. */
  readonly open: (address: string) => Promise<string>;
  readonly log: LaunchLog;
}

/** This machine, as containers reach it. */
export interface HostPlace {
  /** One of its own addresses, to which their way leads. */
  readonly address: string;
  /** What they call it. */
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
   * Undefined where containers cannot reach it; the log says why.
   *
   * @param place undefined where there is none
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
    // The next container may find an address that is not there now.
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
