/** The types that clients of a handler send and get, derived from the handler's own type. */
import type { Handler } from "../handler/contract.ts";
import type { Yielded } from "../protocol/chunk.ts";

type AnyFunction = (...args: never[]) => unknown;

/** The function of a handler: the handler itself, or that of a definition or of a module's default export. Otherwise `never`. */
type RunOf<T> = T extends AnyFunction
  ? T
  : T extends { readonly run: infer Run extends AnyFunction }
    ? Run
    : T extends { readonly default: infer Default }
      ? RunOf<Default>
      : never;

/** Input and output of a schema, if there is one with that name beside the handler. */
type SchemaType<T, Side extends "input" | "output", Otherwise> = T extends {
  readonly [Name in Side]?: infer Schema;
}
  ? NonNullable<Schema> extends { readonly "~standard": { readonly types?: infer Types } }
    ? NonNullable<Types> extends { readonly [Name in Side]: infer Value }
      ? Value
      : Otherwise
    : Otherwise
  : Otherwise;

type JobInput<Run> = Run extends (job: infer Job, ...rest: never[]) => unknown
  ? Job extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;

/** Output and chunk of a function, as the contract of handlers has them. Both are `unknown` for `never`. */
type Sent<Run> = [Run] extends [Handler<never, infer Output, never, infer Chunk>]
  ? { readonly output: Output; readonly chunk: Chunk }
  : { readonly output: unknown; readonly chunk: unknown };

/** `void` becomes `undefined`; `any`, as in `Generator<string>`, becomes `unknown`. */
type Result<T> = 0 extends 1 & T ? unknown : T extends void ? undefined : T;

/**
 * Input that clients submit to the handler `T`: a function, a result of `defineHandler`, or a module (`typeof
 * import("./handler.ts")`). It is the input of its `input` schema; without one, the input of the function's job. `T` itself if
 * it is not a handler.
 */
export type InputOf<T> = [RunOf<T>] extends [never]
  ? T
  : SchemaType<
      T,
      "input",
      T extends { readonly default: infer D } ? InputOf<D> : JobInput<RunOf<T>>
    >;

/**
 * A COMPLETED job's `output`: the output of the `output` schema; without one, the function's result, or the array of its yields
 * if it aggregates. `unknown` if `T` is not a handler.
 */
export type OutputOf<T> = [RunOf<T>] extends [never]
  ? unknown
  : Result<
      SchemaType<
        T,
        "output",
        T extends { readonly aggregate: true }
          ? ChunkOf<T>[]
          : T extends { readonly default: infer D }
            ? OutputOf<D>
            : Sent<RunOf<T>>["output"]
      >
    >;

/** The handler's yields, without the metrics of `chunk`; bytes of a stream are text. `unknown` if `T` does not stream. */
export type ChunkOf<T> = Result<Shown<Yielded<Sent<RunOf<T>>["chunk"]>, RunOf<T>>>;

/** Bytes as JSON has them: text of a returned stream, numbers of a generator. */
type Shown<Chunk, Run> = Chunk extends Uint8Array
  ? string | ([IteratorOf<Run>] extends [never] ? never : number[])
  : Chunk;

/** The returned iterators, generators among them. `never` for other streams. */
type IteratorOf<Run> = Run extends (...args: never[]) => infer Returned
  ? Extract<Awaited<Returned>, { next: unknown }>
  : never;
