/** Detects the removal of the data directory while the service runs. Writes to the open database would still succeed. */
import fs from "node:fs";
import type { Clock, Disarm } from "../../../core/time/clock.ts";
import { StoreLostError } from "../../../core/store-error.ts";

const LOOK_EVERY_MS = 500;

export class RemovalWatch {
  /** Set while the database is missing from its path. */
  lost: StoreLostError | undefined;
  readonly #file: string;
  readonly #clock: Clock;
  readonly #changed: (lost: StoreLostError | undefined) => void;
  readonly #known: fs.Stats;
  #disarm: Disarm | undefined;
  #looking: Promise<void> | undefined;

  /** @param clock real time; @param changed called when the database disappears, and when it is back */
  constructor(file: string, clock: Clock, changed: (lost: StoreLostError | undefined) => void) {
    this.#file = file;
    this.#clock = clock;
    this.#changed = changed;
    this.#known = fs.statSync(file);
    this.#lookLater();
  }

  /** Resolves when the last look is over. */
  async stop(): Promise<void> {
    this.#disarm?.();
    await this.#looking;
    this.#disarm?.();
  }

  #lookLater(): void {
    this.#disarm = this.#clock.wakeAt(this.#clock.now() + LOOK_EVERY_MS, () => {
      this.#looking = this.#look();
    });
  }

  async #look(): Promise<void> {
    const found = await fs.promises.stat(this.#file).catch(() => undefined);
    const isThere = found?.ino === this.#known.ino && found.dev === this.#known.dev;
    if (isThere !== (this.lost === undefined)) {
      this.lost = isThere ? undefined : new StoreLostError(`${this.#file} is missing`);
      this.#changed(this.lost);
    }
    this.#lookLater();
  }
}
