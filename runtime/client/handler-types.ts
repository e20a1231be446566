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

/** What goes into a schema or comes out of it, if there is one of that name beside the handler. */
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
 * What clients submit to the handler `T`: a function, what `defineHandler` gives, or a module (`typeof import("./handler.ts")`).
 * What its `input` schema takes; without one the input of the job that the function is given. `T` itself where it is no handler.
 */
export type InputOf<T> = [RunOf<T>] extends [never]
  ? T
  : SchemaType<
      T,
      "input",
      T extends { readonly default: infer D } ? InputOf<D> : JobInput<RunOf<T>>
    >;

/**
 * A COMPLETED job's `output`: what the `output` schema gives; without one what the function returns, or the array of all it
 * yields if it aggregates. `unknown` where `T` is no handler.
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

/** What the handler yields, without the metrics that `chunk` puts beside it. `unknown` where `T` is no generator. */
export type ChunkOf<T> = [StepOf<ReturnType<RunOf<T>>>] extends [never]
  ? unknown
  : YieldOf<StepOf<ReturnType<RunOf<T>>>>;
