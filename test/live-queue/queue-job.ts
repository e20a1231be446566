/** A job of the live queue's double, with all reports about it. */

export class QueueJob {
  readonly id: string;
  /** The job as a worker gets it. */
  readonly given: unknown;
  readonly chunks: unknown[] = [];
  readonly progress: unknown[] = [];
  /** Bodies of its results; more than one only if the answer to the first was lost. */
  readonly results: string[] = [];
  /** Whether its result came as a generator's. */
  isStream = false;
  handOvers = 0;
  /** Time after which its worker must not report it any more. */
  isStopped = false;
  /** The worker that holds it. */
  worker: string | undefined;
  /** Time of its worker's last sign of life for it, ms. */
  heardAt = 0;

  constructor(id: string, given: unknown) {
    this.id = id;
    this.given = given;
  }

  get isDone(): boolean {
    return this.results.length > 0;
  }

  /** The parsed result. */
  get result(): Readonly<Record<string, unknown>> | undefined {
    const [text] = this.results;
    return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
  }

  /** The parsed error of the result. */
  get error(): Readonly<Record<string, unknown>> | undefined {
    const { error } = this.result ?? {};
    return typeof error === "string" ? (JSON.parse(error) as Record<string, unknown>) : undefined;
  }
}
