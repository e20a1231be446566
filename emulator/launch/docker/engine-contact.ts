/** Tracks whether the Docker engine answers, retries while it does not, and removes leftovers each time it is back. */
import type { Clock, Disarm } from "../../core/time/clock.ts";
import { type ContainerEngine, EngineError, type EngineThing } from "./container-engine.ts";
import { isLeftover, LABEL } from "./containers/container-labels.ts";
import type { LaunchLog } from "../launcher.ts";

/** Interval between two requests to an engine that does not answer. */
const ASK_AGAIN_MS = 5_000;

export interface EngineContactOptions {
  readonly engine: ContainerEngine;
  readonly clock: Clock;
  /** Value of the label of this emulator's containers. */
  readonly emulator: string;
  readonly isRun: (workerId: string) => boolean;
  /** Whether this run of the emulator uses its network. */
  readonly usesNetwork: () => boolean;
  /** Called when the engine answers again. */
  readonly back: () => void;
  readonly log: LaunchLog;
}

export class EngineContact {
  readonly #options: EngineContactOptions;
  #problem: string | undefined;
  #reached: Promise<void> | undefined;
  #disarm: Disarm | undefined;
  #isClosed = false;
  /** Name of the foreign engine in the last warning. */
  #foreign: string | undefined;

  constructor(options: EngineContactOptions) {
    this.#options = options;
  }

  /** A sentence that says why the engine cannot be used now. Undefined if no reason is known. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Resolves when the engine answers and the leftovers of earlier runs are removed. @throws EngineError */
  async reach(): Promise<void> {
    this.#reached ??= this.#greet();
    await this.#reached;
  }

  /** Call it with every error of the engine's operations. If the engine may be gone, it is asked until it answers. */
  failed(error: unknown): void {
    if (!(error instanceof EngineError) || error.contact === "kept") return;
    this.#reached = undefined;
    if (error.contact === "lost") this.#lose(error);
    else this.#ask();
  }

  close(): void {
    this.#isClosed = true;
    this.#disarm?.();
  }

  /** Whether the engine answers now. Never rejects, and may never settle. */
  async isThere(): Promise<boolean> {
    try {
      await this.#options.engine.greet();
      return true;
    } catch {
      return false;
    }
  }

  /** Starts `reach` and ignores its failures, which it logs itself. */
  #ask(): void {
    void this.reach().catch(() => undefined);
  }

  async #greet(): Promise<void> {
    const { engine, log, back } = this.#options;
    const wasGone = this.#problem !== undefined;
    try {
      await engine.greet();
    } catch (error) {
      // Any error counts: an engine that does not answer a greeting cannot be used.
      this.#reached = undefined;
      this.#lose(error);
      throw error;
    }
    this.#problem = undefined;
    // Not awaited: some engines need seconds to describe themselves, or never do.
    void this.#tellOfForeign();
    await this.#clear();
    if (!wasGone) return;
    log.info({}, "the Docker engine answers again");
    back();
  }

  #lose(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#problem === undefined) this.#options.log.warn({}, message);
    this.#problem = message;
    this.#askAgain();
  }

  #askAgain(): void {
    if (this.#isClosed) return;
    const { clock } = this.#options;
    this.#disarm?.();
    this.#disarm = clock.wakeAt(clock.now() + ASK_AGAIN_MS, () => this.#ask());
  }

  async #tellOfForeign(): Promise<void> {
    const { engine, log } = this.#options;
    // An engine without a version may be any engine.
    const facts = await engine.describe().catch(() => undefined);
    const foreign = facts?.foreignName;
    if (foreign !== undefined && foreign !== this.#foreign)
      log.warn(
        { engine: foreign },
        `the engine is ${foreign}, not Docker's own: docs/docker.md says what was tried with it`,
      );
    this.#foreign = foreign;
  }

  /** Removes the leftovers of killed emulators. Failures are logged. */
  async #clear(): Promise<void> {
    const { isRun, usesNetwork, log } = this.#options;
    try {
      const count = await this.#clearOf("container", isRun);
      await this.#clearOf("network", usesNetwork);
      if (count > 0) log.info({ count }, "removed containers of killed emulators");
    } catch (error) {
      log.warn(
        { err: error },
        "leftovers of killed emulators could not all be removed from the engine",
      );
    }
  }
  /** Removes the leftovers of a kind, and returns their number. */
  async #clearOf(kind: EngineThing, isUsed: (workerId: string) => boolean): Promise<number> {
    const { engine, clock, emulator } = this.#options;
    const listed = await engine.list(kind, LABEL.emulator);
    const leftovers = listed.filter((each) => isLeftover(each, emulator, isUsed, clock.now()));
    await Promise.all(leftovers.map(({ id }) => engine.remove(kind, id)));
    return leftovers.length;
  }
}
