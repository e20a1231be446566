/** Sends external workers away once their keys are revoked or expired. */
import type { KeyRing } from "../../../core/access/key-ring.ts";
import type { Disarm } from "../../../core/time/clock.ts";
import type { TimePort } from "../../time/time-port.ts";
import { dismissExternals, type DismissUses } from "./external-workers.ts";

export class KeyWatch {
  readonly #engine: DismissUses & TimePort;
  readonly #keys: KeyRing;
  #disarm: Disarm | undefined;
  #isStopped = false;

  /** Begins at once. */
  constructor(engine: DismissUses & TimePort, keys: KeyRing) {
    this.#engine = engine;
    this.#keys = keys;
    keys.onChange(() => this.#look());
    this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#disarm?.();
  }

  #look(): void {
    if (this.#isStopped) return;
    const { clock, log, pendingWork } = this.#engine;
    const dismissed = dismissExternals(this.#engine, (keyId) => this.#keys.isGood(keyId)).catch(
      (error: unknown) =>
        log.error({ err: error }, "jobs of workers that were sent away wait for their leases"),
    );
    void pendingWork.track("workers with invalid keys", dismissed);
    const at = this.#keys.nextExpiryAt();
    this.#disarm?.();
    this.#disarm = at === undefined ? undefined : clock.wakeAt(at, () => this.#look());
  }
}
