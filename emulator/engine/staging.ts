/** Prepares what steps are to store, and gives back what they did not. */
import type { Payload } from "../store/payload.ts";
import type { Store } from "../store/store.ts";
import type { EngineLog } from "./observe/engine-log.ts";
import { refusalOf } from "./refusal.ts";

export interface StagingParts {
  readonly store: Pick<Store, "stage" | "discard">;
  readonly log: EngineLog;
}

export class Staging {
  readonly #parts: StagingParts;

  constructor(parts: StagingParts) {
    this.#parts = parts;
  }

  /** @throws ServiceError storage_full, storage_failed */
  async one(bytes: Uint8Array): Promise<Payload> {
    const [payload] = await this.all([bytes]);
    return payload ?? { kind: "inline", bytes };
  }

  /** @throws ServiceError storage_full, storage_failed */
  async all(parts: readonly Uint8Array[]): Promise<readonly Payload[]> {
    const { store, log } = this.#parts;
    try {
      return await store.stage(parts);
    } catch (error) {
      throw refusalOf(error, log);
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
}
