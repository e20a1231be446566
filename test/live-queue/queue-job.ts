/** A job of the live queue's double, with everything that was said of it. */

export class QueueJob {
  readonly id: string;
  /** What a worker gets. */
  readonly given: unknown;
  readonly chunks: unknown[] = [];
  readonly progress: unknown[] = [];
  /** Bodies of its results; more than one only if the answer to the first was lost. */
  readonly results: string[] = [];
  /** Whether its result came as that of a generator. */
  isStream = false;
  handOvers = 0;
  /** Since when its worker is not to speak of it any more. */
  isStopped = false;
  /** The worker that has it. */
  worker: string | undefined;
  /** When its worker last gave a sign that it has it, ms. */
  heardAt = 0;

  constructor(id: string, given: unknown) {
    this.id = id;
    this.given = given;
  }

  get isDone(): boolean {
    return this.results.length > 0;
  }

  /** The result as it was understood. */
  get result(): Readonly<Record<string, unknown>> | undefined {
    const [text] = this.results;
    return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
  }

  /** The error of the result, understood as well. */
  get error(): Readonly<Record<string, unknown>> | undefined {
    const { error } = this.result ?? {};
    return typeof error === "string" ? (JSON.parse(error) as Record<string, unknown>) : undefined;
  }
}
