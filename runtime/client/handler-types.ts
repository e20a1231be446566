/** The types that clients of a handler send and get, derived from the handler's own type. */
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

/** The result of `next()` of a generator; `never` for anything else. */
type StepOf<Returned> = Returned extends {
  readonly [Symbol.iterator]: unknown;
  next(...args: [] | [never]): infer Step;
}
  ? Step
  : Returned extends {
        readonly [Symbol.asyncIterator]: unknown;
        next(...args: [] | [never]): infer Step;
      }
    ? Awaited<Step>
    : never;

type EndOf<Step> = Step extends { readonly done: true; readonly value: infer Value }
  ? Value
  : never;

type YieldOf<Step> = Step extends { readonly done?: false; readonly value: infer Value }
  ? Yielded<Value>
  : never;

type ResultOf<Returned> = [StepOf<Returned>] extends [never]
  ? Awaited<Returned>
  : EndOf<StepOf<Returned>>;

/** Members of a union one by one: a handler may return at once or later. */
type EachResult<Returned> = Returned extends unknown ? ResultOf<Returned> : never;

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
  : SchemaType<
      T,
      "output",
      T extends { readonly aggregate: true }
        ? ChunkOf<T>[]
        : T extends { readonly default: infer D }
          ? OutputOf<D>
          : Result<EachResult<ReturnType<RunOf<T>>>>
    >;

/** The handler's yields, without the metrics of `chunk`. `unknown` if `T` is not a generator. */
export type ChunkOf<T> = [StepOf<ReturnType<RunOf<T>>>] extends [never]
  ? unknown
  : YieldOf<StepOf<ReturnType<RunOf<T>>>>;
