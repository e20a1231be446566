/** `sv-runtime`: for handlers' modules. */
import type {
  Context,
  Handler,
  HandlerDefinition,
  Job,
  Returned,
  Streaming,
} from "./handler/contract.ts";
import type { StandardSchema } from "./handler/module/standard-schema.ts";
import type { StartedWorker, StartWorkerOptions } from "./own-worker.ts";
import type { Yielded } from "./protocol/chunk.ts";

export { chunk } from "./handler/output/chunk.ts";
export type { ChunkWithMetrics } from "./protocol/chunk.ts";
export type {
  Concurrency,
  Context,
  Handler,
  HandlerDefinition,
  Job,
  JobLog,
  LogFields,
  OpenAiCall,
  Returned,
  SetupContext,
  Streaming,
} from "./handler/contract.ts";
export type {
  DownloadedFile,
  DownloadOptions,
  FileBody,
  LargeOutput,
  S3Config,
  Transfers,
  UploadBody,
  UploadDirOptions,
  UploadedObject,
  UploadOptions,
  UploadProgress,
} from "./storage/contract.ts";
export { StorageError, type StorageErrorCode } from "./storage/storage-error.ts";
export type { StartedWorker, StartWorkerOptions } from "./own-worker.ts";
export type { StandbyMode } from "./isolate/standby.ts";
export type { LogFormat } from "./log/worker-log.ts";
export type { LogLevel as WorkerLogLevel } from "./protocol/worker-log.ts";
export type { WorkerEnd } from "./worker.ts";
export type {
  SchemaIssue,
  SchemaResult,
  StandardSchema,
} from "./handler/module/standard-schema.ts";

/** A definition without an `output` schema: `Output` is the return type of `run`. */
export type UncheckedDefinition<
  Input,
  Output,
  State,
  RawInput,
  Chunk = unknown,
  Aggregate extends boolean = boolean,
> = HandlerDefinition<Input, Output, State, RawInput, Output, Chunk> & {
  readonly output?: undefined;
  readonly aggregate?: Aggregate;
};

/** A definition with an `output` schema for the array of all yields. */
export type AggregatingDefinition<
  Input,
  Output,
  State,
  RawInput,
  Sent = unknown,
  Chunk = unknown,
> = Omit<HandlerDefinition<Input, Output, State, RawInput>, "run" | "output"> & {
  readonly output: StandardSchema<Output, Sent>;
  readonly aggregate: true;
  readonly run: (
    job: Job<Input>,
    context: Context<State>,
  ) => Streaming<unknown, Chunk> | Promise<Streaming<unknown, Chunk>>;
};

/** A definition with an `output` schema for the return value of `run`. */
export type CheckedDefinition<
  Input,
  Output,
  State,
  RawInput,
  Sent = unknown,
  Chunk = unknown,
> = Omit<HandlerDefinition<Input, Output, State, RawInput>, "run" | "output"> & {
  readonly output: StandardSchema<Output, Sent>;
  readonly run: (job: Job<Input>, context: Context<State>) => Returned<NoInfer<Output>, Chunk>;
};

/**
 * Gives a handler its types: `export default defineHandler<Input>((job) => …)`, or with options `export default defineHandler({
 * input: schema, concurrency: 4, run: (job) => … })`. `job.input` has the type of the `input` schema, `context.state` has the
 * type that `setup` returns, and the return value of `run` is checked against the `output` schema. Options here override the
 * module's named exports of the same names. The argument is returned unchanged. Its type gives clients the types of input and
 * output: `client.endpoint<typeof handler>("greeter")`.
 */
export function defineHandler<Input = unknown, Output = unknown, Chunk = unknown>(
  handler: Handler<Input, Output, unknown, Chunk>,
): Handler<Input, Output, unknown, Chunk>;
export function defineHandler<
  Input = unknown,
  Output = unknown,
  State = unknown,
  RawInput = Input,
  Chunk = unknown,
  Aggregate extends boolean = boolean,
>(
  definition: UncheckedDefinition<Input, Output, State, RawInput, Chunk, Aggregate>,
): HandlerDefinition<
  Input,
  Output,
  State,
  RawInput,
  [Aggregate] extends [true] ? Yielded<Chunk>[] : Output,
  Chunk
>;
export function defineHandler<
  Input = unknown,
  Output = unknown,
  State = unknown,
  RawInput = Input,
  Sent = Output,
  Chunk = unknown,
>(
  definition: AggregatingDefinition<Input, Output, State, RawInput, Sent, Chunk>,
): HandlerDefinition<Input, Output, State, RawInput, Sent, Chunk>;
export function defineHandler<
  Input = unknown,
  Output = unknown,
  State = unknown,
  RawInput = Input,
  Sent = Output,
  Chunk = unknown,
>(
  definition: CheckedDefinition<Input, Output, State, RawInput, Sent, Chunk>,
): HandlerDefinition<Input, Output, State, RawInput, Sent, Chunk>;
export function defineHandler(handler: unknown): unknown {
  return handler;
}

/**
 * Starts a worker in this program, for programs that have their own main module instead of `sv-worker`. The handler still runs
 * in a separate process, so the argument is its file and not the handler itself. The program has to handle signals: call
 * `drain` on SIGTERM.
 *
 * @param handler the handler's file or directory, as a path (a relative one from the working directory) or a `file:` URL
 * @throws {Error} with the code `missing_setting` if there is no service address or no token, or `bad_setting` if an option is
 * invalid; a failure to load the handler is reported by `ended`
 */
export async function startWorker(
  handler: string | URL,
  options: StartWorkerOptions = {},
): Promise<StartedWorker> {
  // The worker is loaded on demand, because handlers import this module too.
  const { startOwnWorker } = await import("./own-worker.ts");
  return startOwnWorker(handler, options);
}
