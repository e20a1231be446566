/** Stages payloads for steps, and deletes staged payloads that the steps did not store. */
import type { Payload } from "../../store/payload.ts";
import type { Store } from "../../store/store.ts";
import type { EngineLog } from "../observe/engine-log.ts";
import { refusalOf } from "./refusal.ts";

interface StagingParts {
  readonly store: Pick<Store, "stage" | "discard">;
  readonly log: EngineLog;
}

export class Staging {
  readonly #parts: StagingParts;

  constructor(parts: StagingParts) {
    this.#parts = parts;
  }

  /** Like `Steps.stage`. */
  async stage(
    groups: readonly (readonly Uint8Array[])[],
  ): Promise<ReadonlyMap<Uint8Array, Payload>> {
    const { store, log } = this.#parts;
    const payloads = new Map<Uint8Array, Payload>();
    const staging = groups.map(async (parts) => {
      const staged = await store.stage(parts);
      for (const [at, bytes] of parts.entries())
        payloads.set(bytes, staged[at] ?? { kind: "inline", bytes });
      return staged;
    });
    try {
      await Promise.all(staging);
      return payloads;
    } catch (error) {
      const giveBack = (staged: readonly Payload[]) => {
        for (const payload of staged) this.discard(payload);
      };
      for (const staged of staging) staged.then(giveBack, () => undefined);
      throw refusalOf(error, log);
    }
  }

  /** Settles like `stored`, and then deletes payloads that were staged but not stored. */
  async giveBackAfter<T>(stored: Promise<T>, staged: readonly (Payload | undefined)[]): Promise<T> {
    try {
      return await stored;
    } finally {
      for (const payload of staged) this.discard(payload);
    }
  }

  /** Removes the file of a payload that was not stored. If that fails, the next start removes it. */
  discard(payload: Payload | undefined): void {
    if (payload?.kind !== "file") return;
    const { store, log } = this.#parts;
    store.discard(payload).catch((error: unknown) => {
      log.warn({ err: error, file: payload.name }, "an unneeded file could not be removed yet");
    });
  }
}
