/** Keeps the newest decisions of the scaler for each endpoint: those that changed something, and those that were held back. */
import { NewestByKey } from "../../../core/observe/newest-by-key.ts";
import { isHold, type ScaleDecision } from "../../../core/workers/scale-reason.ts";

const BOUNDS = { perKey: 200, inAll: 20_000 };

export class DecisionLog {
  readonly #decisions = new NewestByKey<ScaleDecision>(BOUNDS);
  /** What held back the last decision, by endpoint: the same again says nothing new. */
  readonly #held = new Map<string, string>();
  readonly #added: (endpointId: string, decision: ScaleDecision) => void;

  /** `added` is called with each decision that is kept. */
  constructor(added: (endpointId: string, decision: ScaleDecision) => void) {
    this.#added = added;
  }

  /** Oldest first. */
  of(endpointId: string): readonly ScaleDecision[] {
    return this.#decisions.of(endpointId);
  }

  /** One that does nothing, or is held back as the one before, is not kept. */
  add(endpointId: string, decision: ScaleDecision): void {
    const held = decision.reasons.filter(isHold).map(({ type }) => type);
    const isNews = held.length > 0 && this.#held.get(endpointId) !== held.join(" ");
    if (held.length === 0) this.#held.delete(endpointId);
    else this.#held.set(endpointId, held.join(" "));
    if (decision.start === 0 && decision.drain.length === 0 && !isNews) return;
    this.#decisions.add(endpointId, decision);
    this.#added(endpointId, decision);
  }

  forgetEndpoint(endpointId: string): void {
    this.#decisions.delete(endpointId);
    this.#held.delete(endpointId);
  }
}
