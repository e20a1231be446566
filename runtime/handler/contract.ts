/** The contract between a user's module and the runtime: forms of a handler, and its arguments. */
import type { S3Config, Transfers } from "../storage/contract.ts";
import type { StandardSchema } from "./module/standard-schema.ts";

/** One job, as passed to its handler. */
export interface Job<Input = unknown> {
  /** The job's id, from the answer to the submission. */
  readonly id: string;
  /** `input` of the submission, which is always an object (spec). With an `input` schema: the schema's result. */
  readonly input: Input;
  /** Number of times that the job was handed to a worker, from 1 (ours). */
  readonly attempt: number;
  /** `s3Config` of the submission, if it had one (spec), including its secret. `context.upload` uses it automatically. */
  readonly s3Config?: S3Config;
}

/** The input of a job that comes from a call of the endpoint's OpenAI paths, `/openai/v1/*` (live). */
export interface OpenAiCall {
  /** The path, for example `/v1/chat/completions`. */
  readonly openai_route: string;
  /** The body of the call; absent for a call without a body, such as `/v1/models`. */
  readonly openai_input?: Readonly<Record<string, unknown>>;
  /** The HTTP method, if it is neither POST nor GET (ours). */
  readonly openai_method?: "PUT" | "PATCH" | "DELETE";
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

/** The argument of `setup`. */
export interface SetupContext {
  /** Writes to the worker's log, without a job. */
  readonly log: JobLog;
  /**
   * Aborts when `setup` should stop: its process must end, or its time is over. A setup that reads this signal then gets a
   * grace period; any other setup is killed at once (ours).
   */
  readonly signal: AbortSignal;
  /** Equals `context.volumePath`, for example for models that `setup` loads. */
  readonly volumePath: string | undefined;
}

/** The second argument of a handler. */
export interface Context<State = unknown> extends Transfers {
  /** Aborts when the job is cancelled or out of time. If the handler then stops, its process and the other jobs in it go on. */
  readonly signal: AbortSignal;
  /** Milliseconds until `executionTimeout`, never negative. Pauses of a debugger do not count. */
  readonly deadline: number;
  /** `job.attempt`. */
  readonly attempt: number;
  readonly job: Job;
  readonly log: JobLog;
  /** The result of the handler's `setup` in this process; undefined without a `setup`. */
  readonly state: State;
  /**
   * Path of this job's own directory. It is created when this is first read, and removed after the job, however the job ends.
   *
   * @throws {Error} if it is first read after the job has ended
   */
  readonly tempDir: string;
  /**
   * Path of the endpoint's volume, a directory that all its workers share and that outlives them. Undefined without a volume.
   * It equals `SV_VOLUME_PATH`.
   */
  readonly volumePath: string | undefined;
  /**
   * W3C `traceparent` for your own spans (ours): of the service's span of the execution if the service sends traces, or else of
   * the request that submitted the job. Undefined if neither exists.
   */
  readonly traceparent: string | undefined;
  /**
   * Asks for a new handler process after this job: no more jobs begin in this process, running jobs finish, and then it is
   * replaced. Does nothing after the job has ended.
   */
  readonly refresh: () => void;
  /**
   * Shows `value` as the job's `output` while it is IN_PROGRESS. The newest value wins; some values may never be shown. Does
   * nothing after the job has ended.
   *
   * @throws {TypeError} if `value` has no JSON form
   * @throws {RangeError} if the JSON text is larger than 1 MB
   */
  readonly progress: (value: unknown) => void;
}

/**
 * A handler: the default export of a module. It may return a value, a promise of one, or yield.
 *
 * - A returned value is the job's `output`; `undefined` means no output.
 * - Each value that a generator yields is a chunk of the job's stream. The generator's return value is the job's `output`. With
 * `aggregate`, the `output` is the array of all yields instead.
 * - A thrown value fails the job.
 */
export type Handler<Input = unknown, Output = unknown, State = unknown, Chunk = unknown> = (
  job: Job<Input>,
  context: Context<State>,
) => Returned<Output, Chunk>;

/** The return type of a handler with outputs of type `Output` and yields of type `Chunk`. */
export type Returned<Output, Chunk = unknown> =
  | Output
  | Streaming<Output, Chunk>
  | Promise<Output | Streaming<Output, Chunk>>;

/**
 * A generator or another iterator, or an async iterable such as a stream. Not Iterator and AsyncIterable: TypeScript would infer an
 * Output that may be a promise from the argument of their `return`.
 */
export type Streaming<Output, Chunk> =
  | { next(): IteratorResult<Chunk, Output>; [Symbol.iterator](): unknown }
  | { [Symbol.asyncIterator](): { next(): Promise<IteratorResult<Chunk, Output>> } };

/**
 * A handler with its options, as `defineHandler` takes them. `Input` is the type of `job.input` in `run`, `Output` the result
 * of `run`, and `State` the result of `setup`. `RawInput` is the clients' input; it differs from `Input` only if the `input`
 * schema transforms. `Sent` is the clients' output; it differs from `Output` if the `output` schema transforms or yields are
 * collected. `Chunk` is the type of `run`'s yields.
 */
export interface HandlerDefinition<
  Input = unknown,
  Output = unknown,
  State = unknown,
  RawInput = Input,
  Sent = Output,
  Chunk = unknown,
> {
  readonly run: Handler<Input, Output, State, Chunk>;
  /** Any Standard Schema. A job with an invalid input fails with `invalid_input` before `run` is called. */
  readonly input?: StandardSchema<RawInput, Input> | undefined;
  /** Any Standard Schema. The schema's result is sent to clients. A job with an invalid output fails with `invalid_output`. */
  readonly output?: StandardSchema<Output, Sent> | undefined;
  /**
   * Number of jobs that one handler process runs at a time (default 1), or a function that returns it; see {@link Concurrency}.
   */
  readonly concurrency?: Concurrency;
  /** Whether a generator's yields are also collected into the job's `output`; default false. */
  readonly aggregate?: boolean;
  /**
   * Treatment of an output of more than 20 MB of JSON. `fail` (default) fails the job with `invalid_output`. `upload`
   * stores the output in the job's bucket as `outputs/<job id>/<attempt>-<8 random digits>.json`, and the job's output is a
   * `LargeOutput`.
   */
  readonly largeOutput?: "fail" | "upload";
  /** Runs once in each handler process before its first job, for example to load a model; default none. */
  readonly setup?: (context: SetupContext) => State | Promise<State>;
  /**
   * Runs once after the last job when a handler process ends in an orderly way: at a drain, at a refresh, and in a loaded
   * standby process that was not needed. Default none. It does not run after an uncaught error, or if the process had to be
   * ended with a job in it.
   */
  readonly dispose?: (state: State) => unknown;
}

/**
 * A whole number of at least 1, or a function that returns one. The function is called after `setup` and after each job, with
 * the present number (1 at first). An error or an invalid result is logged and changes nothing.
 */
export type Concurrency = number | ((current: number) => number | Promise<number>);
