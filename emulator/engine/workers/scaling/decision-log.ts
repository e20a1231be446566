/** Keeps the newest decisions of the scaler for each endpoint: those that changed something, and those that were held back. */
import { NewestByKey } from "../../../core/observe/newest-by-key.ts";
import { isHold, type ScaleDecision } from "../../../core/workers/scale-reason.ts";

const BOUNDS = { perKey: 200, inAll: 20_000 };

export class DecisionLog {
  readonly #decisions = new NewestByKey<ScaleDecision>(BOUNDS);
  readonly #added: (endpointId: string, decision: ScaleDecision) => void;

  /** `added` is called with each decision that is kept. */
  constructor(added: (endpointId: string, decision: ScaleDecision) => void) {
    this.#added = added;
  }

  /** Oldest first. */
  of(endpointId: string): readonly ScaleDecision[] {
    return this.#decisions.of(endpointId);
  }

  /** One that does nothing is not kept, unless it is held back in another way than the last one that was kept. */
  add(endpointId: string, decision: ScaleDecision): void {
    const last = this.#decisions.newest(endpointId);
    const says = changesNothing(decision) ? holdsOf(decision) : undefined;
    if (says === "") return;
    if (says !== undefined && last && changesNothing(last) && holdsOf(last) === says) return;
    this.#decisions.add(endpointId, decision);
    this.#added(endpointId, decision);
  }

  forgetEndpoint(endpointId: string): void {
    this.#decisions.delete(endpointId);
  }
}

function changesNothing({ start, drain }: ScaleDecision): boolean {
  return start === 0 && drain.length === 0;
}

/** What holds it back; without the numbers, for under load they are others all the time. */
function holdsOf({ wanted, reasons }: ScaleDecision): string {
  const holds = reasons.filter(isHold).map(({ type }) => type);
  return holds.length === 0 ? "" : [wanted, ...holds].join(" ");
}
