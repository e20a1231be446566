/** What was seen of a run from outside the service, as facts: by its clients, on its workers' wires, in their handlers. */
import fs from "node:fs";
import type { JobStatus } from "../../../runtime/protocol/job-status.ts";
import type { Outcome } from "../../../runtime/protocol/outcome.ts";

/** Readings of the machine's monotonic clock, so that facts of different processes can be put in order; µs. */
interface Timed {
  readonly at: number;
}

interface OfJob extends Timed {
  readonly jobId: string;
}

/** What a client asked for, and how it was answered. */
export type ClientFact =
  /** Answered with an id: from now on the service answers for the job. */
  | (OfJob & { readonly type: "submitted"; readonly marker: string })
  /** The connection broke: the job may exist or not, and nobody knows its id. */
  | (Timed & { readonly type: "submission-unanswered"; readonly marker: string })
  /** Refused, or it surely never arrived. */
  | (Timed & { readonly type: "submission-refused"; readonly marker: string })
  | (OfJob & { readonly type: "cancelled" })
  | (OfJob & { readonly type: "cancel-unanswered" })
  | (OfJob & { readonly type: "retried" })
  | (OfJob & { readonly type: "retry-unanswered" })
  /** An answer of `/status` (or of the end of a stream). */
  | (OfJob & { readonly type: "seen"; readonly status: JobStatus; readonly output?: unknown })
  /** The service does not know a job it had answered for. */
  | (OfJob & { readonly type: "not-found" })
  /** The chunks of a job that has ended, read from the first one. */
  | (OfJob & { readonly type: "streamed"; readonly outputs: readonly unknown[] })
  /** The endpoint's own count of completed jobs, when everything was over. */
  | (Timed & { readonly type: "counted"; readonly completed: number });

/** What went over the wire between the service and a worker's supervisor. */
export type WireFact =
  | (OfJob & {
      readonly type: "handed-over";
      readonly leaseToken: string;
      readonly attempt: number;
    })
  | (OfJob & {
      readonly type: "outcome-sent";
      readonly leaseToken: string;
      readonly kind: Outcome["kind"];
    })
  /** `kind` is that of the outcome it answers; `forged` marks one the tap itself sent under a lease that had ended. */
  | (OfJob & {
      readonly type: "receipt";
      readonly leaseToken: string;
      readonly kind: Outcome["kind"];
      readonly accepted: boolean;
      readonly forged: boolean;
    });

/** What a handler did. */
export type HandlerFact =
  | (OfJob & { readonly type: "started"; readonly attempt: number; readonly marker: string })
  | (OfJob & { readonly type: "finished"; readonly attempt: number; readonly marker: string });

export type Fact = ClientFact | WireFact | HandlerFact;

type WithoutTime<T> = T extends Timed ? Omit<T, "at"> : never;

export function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** The facts of one run: the clients' own, and those that workers and handlers appended to a file as they happened. */
export class History {
  readonly #facts: Fact[] = [];
  readonly #file: string;

  /** `file` is where workers and handlers append; it may not exist yet. */
  constructor(file: string) {
    this.#file = file;
  }

  add(fact: WithoutTime<ClientFact>): void {
    this.#facts.push({ at: monotonicUs(), ...fact });
  }

  /** Everything so far, in the order in which it happened. */
  facts(): readonly Fact[] {
    return [...this.#facts, ...readAppended(this.#file)].toSorted((a, b) => a.at - b.at);
  }
}

/** A line is written by one call of the system, so that even a killed writer leaves whole lines. */
function readAppended(file: string): (WireFact | HandlerFact)[] {
  if (!fs.existsSync(file)) return [];
  const lines = fs.readFileSync(file, "utf8").split("\n");
  // Written by the fixtures beside this file and by nobody else.
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as HandlerFact);
}
