/** Records who changed which resource: durably before the change is answered, and in the log. */
import { LIMITS } from "../../../runtime/protocol/limits.ts";
import type { AuditEntry } from "../../core/access/audit-entry.ts";
import type { StepPort } from "../steps/step-port.ts";
import type { TimePort } from "../time/time-port.ts";
import type { TellPort } from "../observe/tell-port.ts";

/** Number of new entries between two deletions of old ones. */
const PRUNE_EVERY = 100;

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** The `after` of the next page. Undefined if this is the last. */
  readonly next: string | undefined;
}

export class AuditLog {
  readonly #engine: StepPort & TimePort & TellPort;
  #noted = 0;

  constructor(engine: StepPort & TimePort & TellPort) {
    this.#engine = engine;
  }

  /** Never rejects: the change has already happened. An entry that cannot be stored is only in the log, with the reason. */
  async note(fact: Omit<AuditEntry, "id" | "at">): Promise<void> {
    const { clock, log, random, steps } = this.#engine;
    const { operation, subject, keyName, client, status } = fact;
    const what = subject === "" ? operation : `${operation} (${subject})`;
    log.info({ audit: fact }, `the key "${keyName}" from ${client} asked for ${what}: ${status}`);
    const at = clock.now();
    const entry: AuditEntry = { id: random.uuid(at), at, ...fact };
    try {
      await steps.commit((step) => {
        step.putRecord("audit", entry.id, entry);
        if (this.#noted++ % PRUNE_EVERY > 0) return;
        const surplus = step.records("audit").slice(0, -LIMITS.auditEntriesKept);
        for (const { id } of surplus) step.deleteRecord("audit", id);
      });
    } catch (error) {
      log.error({ err: error, audit: fact }, "an entry of the audit could not be stored");
    }
  }

  /** @param after id of the entry after which the page begins */
  page(limit: number, after?: string): AuditPage {
    const known = this.#engine.steps.records.inOrder("audit").toReversed();
    const older = after === undefined ? known : known.filter(({ id }) => id < after);
    const entries = older.slice(0, limit);
    return { entries, next: older.length > limit ? entries.at(-1)?.id : undefined };
  }
}
