/** The contract between a user's module and the runtime: forms of a handler, and its arguments. */
import type { S3Config, Transfers } from "../storage/contract.ts";
import type { StandardSchema } from "./module/standard-schema.ts";

/** One job, as its handler sees it. */
export interface Job<Input = unknown> {
  /** The id the submission was answered with. */
  readonly id: string;
  /**
   * `input` of the submission, which is always an object there (spec); the output of the handler's `input` schema, if it has
   * one.
   */
  readonly input: Input;
  /** 1 for the first time the job is handed to a worker, one more for each further time (ours). */
  readonly attempt: number;
  /** `s3Config` of the submission, if it had one (spec), secret and all; `context.upload` uses it by itself. */
  readonly s3Config?: S3Config;
}

/** The input of a job that was made from a call of the endpoint's OpenAI paths, `/openai/v1/*` (live). */
export interface OpenAiCall {
  /** The path, for example `/v1/chat/completions`. */
  readonly openai_route: string;
  /** The body as it was sent; absent for a call without one, such as that of `/v1/models`. */
  readonly openai_input?: Readonly<Record<string, unknown>>;
  /** The HTTP method where it is neither POST nor GET (ours). */
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

/** What `setup` may use. */
export interface SetupContext {
  /** Writes to the worker's log; no job is marked. */
  readonly log: JobLog;
  /**
   * Aborts while `setup` runs when it is no longer needed: its process is to end, or its time is over. A setup that takes the
   * signal gets a grace then; one that does not is ended at once (ours).
   */
  readonly signal: AbortSignal;
  /** `context.volumePath`: the place for models, which `setup` loads. */
  readonly volumePath: string | undefined;
}

/** What a handler may use besides the job. */
export interface Context<State = unknown> extends Transfers {
  /** Aborts when the job is cancelled or out of time. A handler that stops then keeps its process and its neighbours. */
  readonly signal: AbortSignal;
  /** Milliseconds until `executionTimeout` runs out, counted down but for pauses of a debugger; never negative. */
  readonly deadline: number;
  /** `job.attempt`. */
  readonly attempt: number;
  readonly job: Job;
  readonly log: JobLog;
  /** What the handler's `setup` gave in this process; undefined without one. */
  readonly state: State;
  /**
   * Path of a directory for this job alone. Made when it is first asked for, and removed when the job has ended,
   * however that was.
   *
   * @throws {Error} when it is first asked for after the job has ended
   */
  readonly tempDir: string;
  /**
   * Path of the endpoint's volume, a directory shared by all its workers; its files outlive them. Undefined without a volume.
   * It equals `SV_VOLUME_PATH`.
   */
  readonly volumePath: string | undefined;
  /**
   * W3C `traceparent` of the job's execution, for spans of one's own: that of the request that submitted the job, or of
   * the span the service made of the execution where it sends traces; undefined where there is neither (ours).
   */
  readonly traceparent: string | undefined;
  /**
   * Asks for a fresh handler process after this job: no further job begins in this one, running ones finish, then it is
   * replaced. Does nothing after the job has ended.
   */
  readonly refresh: () => void;
  /**
   * Shows `value` as the job's `output` while it is IN_PROGRESS. The newest value wins; some may never be seen. After
   * the job has ended it does nothing.
   *
   * @throws {TypeError} when `value` has no JSON form
   * @throws {RangeError} when its JSON text is larger than 1 MB
   */
  readonly progress: (value: unknown) => void;
}

/**
 * A handler: the default export of a module. It may return a value, a promise of one, or yield.
 *
 * - A returned value is the job's `output`; `undefined` means none.
 * - Each value a generator yields is a chunk of the job's stream. What it returns in the end, if anything, is the
 *   job's `output`, unless `aggregate` is set: then the `output` is the array of all yields.
 * - Whatever it throws fails the job.
 */
export type Handler<Input = unknown, Output = unknown, State = unknown, Chunk = unknown> = (
  job: Job<Input>,
  context: Context<State>,
) => Returned<Output, Chunk>;

/** The return type of a handler with outputs of type `Output` and yields of type `Chunk`. */
export type Returned<Output, Chunk = unknown> =
  | Output
  | Promise<Output>
  // Not Iterator and AsyncIterator: from the argument of their `return`, an Output that may be a promise would be inferred.
  | { next(): IteratorResult<Chunk, Output>; [Symbol.iterator](): unknown }
  | { next(): Promise<IteratorResult<Chunk, Output>>; [Symbol.asyncIterator](): unknown };

/**
 * A handler with its options, as `defineHandler` takes them. `Input` is the type of `job.input` in `run`, `Output` the result
 * of `run`, `State` the result of `setup`, and `RawInput` the clients' input; it differs from `Input` only if the `input`
 * schema transforms. `Sent` is the clients' output, which differs from `Output` if the `output` schema transforms or yields are
 * collected; `Chunk` is the type of `run`'s yields.
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
  /** Any Standard Schema. A job with an invalid output fails with `invalid_output`; the schema's result is sent. */
  readonly output?: StandardSchema<Output, Sent> | undefined;
  /** Jobs one handler process works on at a time, at least 1 (default), or a function that says it; see {@link Concurrency}. */
  readonly concurrency?: Concurrency;
  /** Whether a generator's yields are also collected into the job's `output`; default false. */
  readonly aggregate?: boolean;
  /**
   * Outputs of more than 20 MB of JSON: `fail` (default) fails the job with `invalid_output`; `upload` stores the output in the
   * job's bucket as `outputs/<job id>/<attempt>.json`, and the job's output is a `LargeOutput`.
   */
  readonly largeOutput?: "fail" | "upload";
  /** Runs once in each handler process before its first job, for example to load a model; default none. */
  readonly setup?: (context: SetupContext) => State | Promise<State>;
  /**
   * Runs once when a handler process leaves in good order, after its last job: at a drain and at a refresh, and in a
   * loaded standby process that was never needed. Default none. A process that is spoiled, or that had to be ended with
   * a job in it, leaves without it.
   */
  readonly dispose?: (state: State) => unknown;
}

/**
 * A whole number of at least 1; or a function that gives one, asked after `setup` and whenever a job has ended, with
 * the number that holds until now (1 at first). What it throws or gives instead is logged, and changes nothing.
 */
export type Concurrency = number | ((current: number) => number | Promise<number>);
