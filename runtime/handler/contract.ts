/** What a handler is given and what it may be: the contract between a user's module and the runtime. */

/** Object-storage settings of a submission, for handlers that upload what they make (spec). */
export interface S3Config {
  readonly accessId?: string;
  readonly accessSecret?: string;
  readonly bucketName?: string;
  readonly endpointUrl?: string;
}

/** One job, as its handler sees it. */
export interface Job<Input = unknown> {
  /** The id the submission was answered with. */
  readonly id: string;
  /** `input` of the submission; always an object there (spec). */
  readonly input: Input;
  /** 1 for the first time the job is handed to a worker, one more for each further time (ours). */
  readonly attempt: number;
  /** `s3Config` of the submission, if it had one (spec). */
  readonly s3Config?: S3Config;
}

/** Extra values of a log line; they must have a JSON form. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes to the worker's log, marked with the job. Never throws and never waits. */
export interface JobLog {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** What a handler may use beside the job itself. */
export interface Context {
  /** Aborts when the job is cancelled or out of time. A handler that stops then keeps its process and its neighbours. */
  readonly signal: AbortSignal;
  /** Milliseconds until `executionTimeout` runs out, counted down; never negative. */
  readonly deadline: number;
  /** The same as `job.attempt`. */
  readonly attempt: number;
  readonly job: Job;
  readonly log: JobLog;
  /**
   * Shows `value` as the job's `output` while it is IN_PROGRESS. The newest value wins; some may never be seen. After
   * the job has ended it does nothing.
   *
   * @throws {TypeError} when `value` has no JSON form
   * @throws {RangeError} when its JSON text is larger than 1 MB
   */
  progress(value: unknown): void;
}

/**
 * A handler: the default export of a module. It may return a value, a promise of one, or yield.
 *
 * - A returned value is the job's `output`; `undefined` means none.
 * - Each value a generator yields is a chunk of the job's stream. What it returns in the end, if anything, is the
 *   job's `output`, unless `aggregate` is set: then the `output` is the array of all yields.
 * - Whatever it throws fails the job.
 */
export type Handler<Input = unknown, Output = unknown> = (
  job: Job<Input>,
  context: Context,
) =>
  | Output
  | Promise<Output>
  | Iterator<unknown, Output, undefined>
  | AsyncIterator<unknown, Output, undefined>;

/** A handler with its options, as `defineHandler` takes them. */
export interface HandlerDefinition<Input = unknown, Output = unknown> {
  readonly run: Handler<Input, Output>;
  /** Jobs one handler process works on at a time; a whole number, default 1. */
  readonly concurrency?: number;
  /** Whether a generator's yields are also collected into the job's `output`; default false. */
  readonly aggregate?: boolean;
  /** Runs once in each handler process before its first job, for example to load a model; default none. */
  readonly setup?: () => unknown;
}
