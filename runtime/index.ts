/** `sv-runtime`: what a handler's module imports. */
import type { Context, Handler, HandlerDefinition, Job, Returned } from "./handler/contract.ts";
import type { StandardSchema } from "./handler/standard-schema.ts";

export { chunk, type ChunkWithMetrics } from "./handler/chunk.ts";
export type {
  Concurrency,
  Context,
  Handler,
  HandlerDefinition,
  Job,
  JobLog,
  LogFields,
  Returned,
  S3Config,
  SetupContext,
} from "./handler/contract.ts";
export type { SchemaIssue, SchemaResult, StandardSchema } from "./handler/standard-schema.ts";

/** A definition without an `output` schema: `Output` is whatever `run` returns. */
export type UncheckedDefinition<Input, Output, State, RawInput> = HandlerDefinition<
  Input,
  Output,
  State,
  RawInput
> & { readonly output?: undefined };

/** A definition whose `output` schema is of the array of all yields. */
export type AggregatingDefinition<Input, Output, State, RawInput> = Omit<
  HandlerDefinition<Input, Output, State, RawInput>,
  "run"
> & {
  readonly output: StandardSchema<Output, unknown>;
  readonly aggregate: true;
  readonly run: (
    job: Job<Input>,
    context: Context<State>,
  ) => Iterator<unknown, unknown, undefined> | AsyncIterator<unknown, unknown, undefined>;
};

/** A definition whose `output` schema says what `run` must return. */
export type CheckedDefinition<Input, Output, State, RawInput> = Omit<
  HandlerDefinition<Input, Output, State, RawInput>,
  "run"
> & {
  readonly output: StandardSchema<Output, unknown>;
  readonly run: (job: Job<Input>, context: Context<State>) => Returned<NoInfer<Output>>;
};

/**
 * Gives a handler its types: `export default defineHandler<Input>((job) => …)`, or with options
 * `export default defineHandler({ input: schema, concurrency: 4, run: (job) => … })`. `job.input` has the type the
 * `input` schema gives, `context.state` that of `setup`, and what `run` returns is compared with the `output` schema.
 * Options given here win over the module's named exports of the same names. The value is returned as it is.
 */
export function defineHandler<Input = unknown, Output = unknown>(
  handler: Handler<Input, Output>,
): Handler<Input, Output>;
export function defineHandler<Input = unknown, Output = unknown, State = unknown, RawInput = Input>(
  definition: UncheckedDefinition<Input, Output, State, RawInput>,
): HandlerDefinition<Input, Output, State, RawInput>;
export function defineHandler<Input = unknown, Output = unknown, State = unknown, RawInput = Input>(
  definition: AggregatingDefinition<Input, Output, State, RawInput>,
): HandlerDefinition<Input, Output, State, RawInput>;
export function defineHandler<Input = unknown, Output = unknown, State = unknown, RawInput = Input>(
  definition: CheckedDefinition<Input, Output, State, RawInput>,
): HandlerDefinition<Input, Output, State, RawInput>;
export function defineHandler(handler: unknown): unknown {
  return handler;
}
