/** Keeps the newest decisions of the scaler for each endpoint: changes, and changes that were held back. */
import { NewestByKey } from "../../core/observe/newest-by-key.ts";
import type { Fact } from "../../core/observe/fact.ts";
import { isHold, type ScaleDecision } from "../../core/workers/scale-reason.ts";

const BOUNDS = { perKey: 200, inAll: 20_000 };

export class DecisionLog {
  readonly #decisions = new NewestByKey<ScaleDecision>(BOUNDS);

  /** Oldest first. */
  of(endpointId: string): readonly ScaleDecision[] {
    return this.#decisions.of(endpointId);
  }

  /** Whether a decision is worth keeping. A decision without effect is kept only if the reason that holds it back is new. */
  isNew(endpointId: string, decision: ScaleDecision): boolean {
    if (!changesNothing(decision)) return true;
    const last = this.#decisions.newest(endpointId);
    const holds = holdsOf(decision);
    return holds !== "" && !(last && changesNothing(last) && holdsOf(last) === holds);
  }

  take(fact: Fact): void {
    if (fact.type === "scale") this.#decisions.add(fact.endpointId, fact.decision);
    const isDeleted = fact.type === "endpoint" && fact.change === "deleted";
    if (isDeleted || fact.type === "endpoint-gone") this.#decisions.delete(fact.endpointId);
  }
}

function changesNothing({ start, drain }: ScaleDecision): boolean {
  return start === 0 && drain.length === 0;
}

/** The reasons that hold a decision back, without their numbers, which change all the time under load. */
function holdsOf({ wanted, reasons }: ScaleDecision): string {
  const holds = reasons.filter(isHold).map(({ type }) => type);
  return holds.length === 0 ? "" : [wanted, ...holds].join(" ");
}
