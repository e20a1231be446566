/** Facts about a run as seen from outside the service: by its clients, on its workers' wires, in their handlers. */
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

/** Requests of clients, and their answers. */
export type ClientFact =
  /** Answered with an id: from now on the service must not lose the job. */
  | (OfJob & { readonly type: "submitted"; readonly marker: string; readonly webhook?: boolean })
  /** The connection broke: the job may exist, but its id is unknown. */
  | (Timed & { readonly type: "submission-unanswered"; readonly marker: string })
  /** Refused, or it certainly never arrived. */
  | (Timed & { readonly type: "submission-refused"; readonly marker: string })
  /** Time of the request; it may have taken effect at any moment since. */
  | (OfJob & { readonly type: "cancelled"; readonly askedAt?: number })
  | (OfJob & { readonly type: "cancel-unanswered"; readonly askedAt?: number })
  | (OfJob & { readonly type: "retried"; readonly askedAt?: number })
  | (OfJob & { readonly type: "retry-unanswered"; readonly askedAt?: number })
  /** An answer of `/status` (or the end of a stream), and the time of its request. */
  | (OfJob & {
      readonly type: "seen";
      readonly status: JobStatus;
      readonly output?: unknown;
      readonly askedAt?: number;
    })
  /** The service does not know a job that it had acknowledged. */
  | (OfJob & { readonly type: "not-found" })
  /** All chunks of a job that has ended. */
  | (OfJob & { readonly type: "streamed"; readonly outputs: readonly unknown[] })
  /** The service was killed. What it had told nobody of may be forgotten. */
  | (Timed & { readonly type: "killed" })
  /** The endpoint's own count of completed jobs at the end of the run. */
  | (Timed & { readonly type: "counted"; readonly completed: number });

/** Messages between the service and a worker's supervisor. */
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
  /**
   * `kind` is the kind of the acknowledged outcome; `forged` marks an outcome that the tap sent under an ended
   * lease.
   */
  | (OfJob & {
      readonly type: "receipt";
      readonly leaseToken: string;
      readonly kind: Outcome["kind"];
      readonly accepted: boolean;
      readonly forged: boolean;
    });

/** Events in a handler. */
export type HandlerFact =
  | (OfJob & { readonly type: "started"; readonly attempt: number; readonly marker: string })
  | (OfJob & { readonly type: "finished"; readonly attempt: number; readonly marker: string });

/** A piece of a job's stream, as one connection delivered it. */
export interface ReadChunk {
  readonly attempt: number;
  readonly index: number;
  readonly output: unknown;
}

/** Facts about several emulators on one database. */
export type FleetFact =
  /** A request to one emulator; `hung`: it was neither answered nor broken off within the time limit. */
  | (Timed & {
      readonly type: "request";
      readonly operation: string;
      readonly seat: number;
      readonly askedAt: number;
      readonly end: "answered" | "broken" | "hung";
      readonly status?: number;
      /** Text of an answer of 400 or 500. */
      readonly says?: string;
    })
  /** A submission was acknowledged after its tries, the first of which began at `since`. */
  | (Timed & { readonly type: "accepted"; readonly since: number; readonly tries: number })
  /** Chunks of one connection to a job's stream, requested after the chunk `after`; `end` is the final status. */
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
  /** A process wrote a row of a job in a partition that it does not own. */
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
    // One system call writes a line, so even a killed writer leaves whole lines.
    const lines = bytes.toString("utf8", 0, count).split("\n");
    this.#readBytes += count;
    // Only the fixtures beside this file write it.
    for (const line of lines) if (line !== "") this.#appended.push(JSON.parse(line) as HandlerFact);
    return this.#appended;
  }

  /** All facts so far, in order. */
  facts(): readonly Fact[] {
    return [...this.#facts, ...this.appended()].toSorted((a, b) => a.at - b.at);
  }
}
