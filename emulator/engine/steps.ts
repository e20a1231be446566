/** Runs steps: each is one transaction, and its effects are released after the commit. */
import { ServiceError } from "../core/service-error.ts";
import {
  StoreClosedError,
  StoreDamagedError,
  StoreFullError,
  StoreLostError,
  StoreUnusableError,
} from "../core/store-error.ts";
import {
  type Payload,
  PayloadDamagedError,
  type Store,
  type StoreTransaction,
  type StoreView,
} from "../store/store.ts";
import { Effects } from "./effects.ts";
import type { EngineLog } from "./observe/engine-log.ts";

export interface StepsOptions {
  readonly store: Pick<Store, "read" | "transact" | "stage" | "stageChunks" | "discard">;
  readonly log: EngineLog;
  /** Releases the effects of a step. Called when the step is durable. */
  readonly release: (effects: Effects) => void;
  /** Called with the effects of a failed step, whose changes of memory were undone. */
  readonly failed: (effects: Effects) => void;
}

export class Steps {
  readonly #options: StepsOptions;

  constructor(options: StepsOptions) {
    this.#options = options;
  }

  /**
   * Runs `step` in a transaction; resolves with its value when it is durable and its effects were released. Of the `staged`
   * payloads, those that the step did not store are discarded.
   *
   * @throws ServiceError storage_full, storage_failed, data_damaged, shutting_down, or what the step threw.
   */
  async commit<T>(
    step: (tx: StoreTransaction, effects: Effects) => Promise<T>,
    staged: readonly (Payload | undefined)[] = [],
  ): Promise<T> {
    const { store, release, failed } = this.#options;
    const effects = new Effects();
    let value: T;
    try {
      value = await store.transact((tx) => step(tx, effects));
    } catch (error) {
      effects.takeBack();
      failed(effects);
      throw this.refusalFor(error);
    } finally {
      for (const payload of staged) this.#discard(payload);
    }
    release(effects);
    return value;
  }

  /** Reads what is committed. Throws what `ask` and the store throw. */
  read<T>(ask: (view: StoreView) => Promise<T>): Promise<T> {
    return this.#options.store.read(ask);
  }

  /** Prepares bytes that a later `commit` stores. @throws ServiceError storage_full, storage_failed */
  async stage(bytes: Uint8Array): Promise<Payload> {
    try {
      return await this.#options.store.stage(bytes);
    } catch (error) {
      throw this.refusalFor(error);
    }
  }

  /** The same for chunks of one job. @throws ServiceError storage_full, storage_failed */
  async stageChunks(parts: readonly Uint8Array[]): Promise<readonly Payload[]> {
    try {
      return await this.#options.store.stageChunks(parts);
    } catch (error) {
      throw this.refusalFor(error);
    }
  }

  /** The refusal for a failure of the store; any other error as it is. */
  refusalFor(error: unknown): unknown {
    const options = { cause: error };
    if (error instanceof StoreFullError) {
      const message = `the data directory is full: ${error.message}`;
      return new ServiceError("storage_full", message, options);
    }
    if (error instanceof StoreClosedError) {
      return new ServiceError("shutting_down", "the service is stopping", options);
    }
    if (error instanceof StoreDamagedError || error instanceof PayloadDamagedError) {
      return new ServiceError("data_damaged", error.message, options);
    }
    if (error instanceof StoreLostError) {
      const message = `nothing can be stored: ${error.message}`;
      return new ServiceError("storage_failed", message, options);
    }
    if (error instanceof StoreUnusableError) {
      this.#options.log.error({ err: error }, "what was to be stored could not be");
      return new ServiceError("storage_failed", error.message, options);
    }
    return error;
  }

  /** Removes a file that was not stored; if that fails, the next start removes it. */
  #discard(payload: Payload | undefined): void {
    if (payload?.kind !== "file") return;
    const { store, log } = this.#options;
    store.discard(payload).catch((error: unknown) => {
      log.warn({ err: error, file: payload.name }, "a file that is not needed stays for now");
    });
  }
}
