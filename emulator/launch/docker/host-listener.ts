/** Listens at this machine's address on the containers' network once the first container needs it. */
import type { Clock } from "../../core/time/clock.ts";
import type { LaunchLog } from "../launcher.ts";

/** Interval between two tries at an address that does not exist yet. */
const TRY_AGAIN_MS = 250;

/** Maximum number of tries, of a minute together. */
const MAX_TRIES = 240;

export interface HostListenerOptions {
  /** Name of the listener in log messages. */
  readonly what: string;
  /** Listens at one more address, and resolves to its URL. Not called again for the same address after a success. */
  readonly open: (address: string) => Promise<string>;
  /** The port at which `open` listens where it is free. */
  readonly port: () => number;
  readonly clock: Clock;
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

  async #open(place: HostPlace): Promise<string | undefined> {
    const { open, port } = this.#options;
    const named = (url: string) => Object.assign(new URL(url), { hostname: place.name }).origin;
    try {
      const url = named(await open(place.address));
      this.#told(url);
      return url;
    } catch (error) {
      if (!isMissingAddress(error)) {
        this.#warn(error);
        return undefined;
      }
      // Podman makes the address when the first container starts. Nothing else can have taken the port there.
      const url = named(`http://${place.address}:${port()}`);
      this.#openLater(place.address, url, MAX_TRIES);
      return url;
    }
  }

  #openLater(address: string, url: string, tries: number): void {
    const { clock, open } = this.#options;
    clock.wakeAt(clock.now() + TRY_AGAIN_MS, () => {
      open(address).then(
        () => this.#told(url),
        (error: unknown) => {
          if (isMissingAddress(error) && tries > 1) return this.#openLater(address, url, tries - 1);
          this.#warn(error);
          if (this.#opened?.address === address) this.#opened = undefined;
        },
      );
    });
  }

  #told(url: string): void {
    const { what, log } = this.#options;
    log.info({ url }, `${what} also answers containers, at ${url}`);
  }

  #warn(error: unknown): void {
    const { what, log } = this.#options;
    const reason = error instanceof Error ? error.message : String(error);
    if (!this.#hasWarned) log.warn({}, `containers cannot reach ${what}: ${reason}`);
    this.#hasWarned = true;
  }
}

function isMissingAddress(error: unknown): boolean {
  return error instanceof Error && "reason" in error && error.reason === "bad-host";
}
