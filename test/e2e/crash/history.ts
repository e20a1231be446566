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
  | (OfJob & { readonly type: "submitted"; readonly marker: string; readonly webhook?: boolean })
  /** The connection broke: the job may exist, but its id is unknown. */
  | (Timed & { readonly type: "submission-unanswered"; readonly marker: string })
  /** Refused, or it surely never arrived. */
  | (Timed & { readonly type: "submission-refused"; readonly marker: string })
  /** And when that was asked for; it may have taken effect at any moment since. */
  | (OfJob & { readonly type: "cancelled"; readonly askedAt?: number })
  | (OfJob & { readonly type: "cancel-unanswered"; readonly askedAt?: number })
  | (OfJob & { readonly type: "retried"; readonly askedAt?: number })
  | (OfJob & { readonly type: "retry-unanswered"; readonly askedAt?: number })
  /** An answer of `/status` (or of the end of a stream), and when it was asked for. */
  | (OfJob & {
      readonly type: "seen";
      readonly status: JobStatus;
      readonly output?: unknown;
      readonly askedAt?: number;
    })
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

/** A piece of a job's stream, as one connection brought it. */
export interface ReadChunk {
  readonly attempt: number;
  readonly index: number;
  readonly output: unknown;
}

/** What was seen of several emulators on one database. */
export type FleetFact =
  /** One request to one of them; `hung`: it was neither answered nor broken off in the time that it may take. */
  | (Timed & {
      readonly type: "request";
      readonly operation: string;
      readonly seat: number;
      readonly askedAt: number;
      readonly end: "answered" | "broken" | "hung";
      readonly status?: number;
      /** What an answer of 400 or 500 says. */
      readonly says?: string;
    })
  /** A submission was acknowledged, in the end: all tries for it began at `since`. */
  | (Timed & { readonly type: "accepted"; readonly since: number; readonly tries: number })
  /** Chunks of one connection to a job's stream, which asked for those after `after`; `end` is the final status. */
  | (OfJob & {
      readonly type: "read-chunks";
      readonly after: { readonly attempt: number; readonly index: number } | undefined;
      readonly chunks: readonly ReadChunk[];
      readonly end?: JobStatus;
    })
  /** A call of the receiver of webhooks. */
  | (OfJob & {
      readonly type: "webhook";
      readonly deliveryId: string;
      readonly body: string;
      readonly status: JobStatus;
      readonly taken: boolean;
    })
  | (Timed & { readonly type: "fault"; readonly name: string; readonly beganAt: number })
  /** A process ended unexpectedly, with its last output. */
  | (Timed & { readonly type: "died"; readonly seat: number; readonly says: string })
  /** A row of a job was written by a process that did not own its part. */
  | (Timed & { readonly type: "foreign-write"; readonly says: string });

export type Fact = ClientFact | WireFact | HandlerFact | FleetFact;

type WithoutTime<T> = T extends Timed ? Omit<T, "at"> : never;

export function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** Facts of one run: the clients' own, and those that workers and handlers appended to a file. */
export class History {
  readonly #facts: Fact[] = [];
  readonly #file: string;
  readonly #appended: (WireFact | HandlerFact)[] = [];
  #readBytes = 0;

  /** `file` is where workers and handlers append; it may not exist yet. */
  constructor(file: string) {
    this.#file = file;
  }

  add(fact: WithoutTime<ClientFact | FleetFact>): void {
    this.#facts.push({ at: monotonicUs(), ...fact });
  }

  /** Answers that clients have got so far. */
  told(): readonly Fact[] {
    return this.#facts;
  }

  /** Facts of workers and handlers so far. */
  appended(): readonly (WireFact | HandlerFact)[] {
    if (!fs.existsSync(this.#file)) return [];
    const fd = fs.openSync(this.#file, "r");
    const bytes = Buffer.alloc(fs.fstatSync(fd).size - this.#readBytes);
    const count = fs.readSync(fd, bytes, 0, bytes.length, this.#readBytes);
    fs.closeSync(fd);
    // A line is written by one call of the system, so that even a killed writer leaves whole lines.
    const lines = bytes.toString("utf8", 0, count).split("\n");
    this.#readBytes += count;
    // Written only by the fixtures beside this file.
    for (const line of lines) if (line !== "") this.#appended.push(JSON.parse(line) as HandlerFact);
    return this.#appended;
  }

  /** All facts so far, in order. */
  facts(): readonly Fact[] {
    return [...this.#facts, ...this.appended()].toSorted((a, b) => a.at - b.at);
  }
}
