/** Prepares what steps store, and deletes what they did not store. */
import type { Payload } from "../../store/payload.ts";
import type { Store } from "../../store/store.ts";
import type { EngineLog } from "../observe/engine-log.ts";
import { refusalOf } from "./refusal.ts";

export interface StagingParts {
  readonly store: Pick<Store, "stage" | "discard">;
  readonly log: EngineLog;
}

/** Stages bytes of one payload, or of chunks of one job. @throws ServiceError storage_full, storage_failed */
export interface Stage {
  readonly one: (bytes: Uint8Array) => Promise<Payload>;
  readonly all: (parts: readonly Uint8Array[]) => Promise<readonly Payload[]>;
}

export class Staging {
  readonly #parts: StagingParts;

  constructor(parts: StagingParts) {
    this.#parts = parts;
  }

  /** When `work` throws, all that it staged is deleted, also what is still being written. */
  async together<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
    const staged: Promise<readonly Payload[]>[] = [];
    const all: Stage["all"] = (parts) => {
      const payloads = this.#stage(parts);
      staged.push(payloads);
      return payloads;
    };
    const one: Stage["one"] = async (bytes) => {
      const [payload] = await all([bytes]);
      return payload ?? { kind: "inline", bytes };
    };
    try {
      return await work({ all, one });
    } catch (error) {
      const giveBack = (payloads: readonly Payload[]) => {
        for (const payload of payloads) this.discard(payload);
      };
      for (const payloads of staged) payloads.then(giveBack, () => undefined);
      throw error;
    }
  }

  /** Resolves as `stored` does, and then deletes what was staged but not stored. */
  async giveBackAfter<T>(stored: Promise<T>, staged: readonly (Payload | undefined)[]): Promise<T> {
    try {
      return await stored;
    } finally {
      for (const payload of staged) this.discard(payload);
    }
  }

  /** Removes a file that was not stored; if that fails, the next start removes it. */
  discard(payload: Payload | undefined): void {
    if (payload?.kind !== "file") return;
    const { store, log } = this.#parts;
    store.discard(payload).catch((error: unknown) => {
      log.warn({ err: error, file: payload.name }, "a file that is not needed stays for now");
    });
  }

  /** @throws ServiceError storage_full, storage_failed */
  async #stage(parts: readonly Uint8Array[]): Promise<readonly Payload[]> {
    const { store, log } = this.#parts;
    try {
      return await store.stage(parts);
    } catch (error) {
      throw refusalOf(error, log);
    }
  }
}
