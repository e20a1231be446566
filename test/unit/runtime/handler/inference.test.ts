/** Types flow from schemas and setup to `run`; the compiler checks the expectations, the test that nothing is changed. */
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import {
  chunk,
  defineHandler,
  type CheckedDefinition,
  type Context,
  type HandlerDefinition,
  type Job,
  type UncheckedDefinition,
} from "../../../../runtime/index.ts";
import { runHandler } from "../../../../runtime/testing.ts";

const input = z.object({ at: z.string().transform(Number), name: z.string().default("Ada") });
const output = z.object({ total: z.number() });

describe("the types of a definition", () => {
  test("job.input is what the input schema gives, clients submit what it takes", async () => {
    const handler = defineHandler({
      input,
      run(job) {
        expectTypeOf(job).toEqualTypeOf<Job<{ at: number; name: string }>>();
        return job.input.at;
      },
    });
    type Raw = { at: string; name?: string | undefined };
    expectTypeOf(handler).toEqualTypeOf<
      HandlerDefinition<{ at: number; name: string }, number, unknown, Raw>
    >();
    expect(await runHandler(handler, { at: "7" })).toMatchObject({ output: 7 });
  });

  test("what run returns is compared with what the output schema takes", () => {
    const right = defineHandler({ output, run: async () => ({ total: 1 }) });
    expectTypeOf(right).toEqualTypeOf<HandlerDefinition<unknown, { total: number }>>();
    expect(right.output).toBe(output);
    type Run = CheckedDefinition<unknown, { total: number }, unknown, unknown>["run"];
    expectTypeOf<() => { total: 1 }>().toExtend<Run>();
    expectTypeOf<() => { total: string }>().not.toExtend<Run>();
    expectTypeOf<() => Promise<{ total: number | string }>>().not.toExtend<Run>();
    expectTypeOf<() => Generator<string, { total: string }>>().not.toExtend<Run>();
    expectTypeOf<{ output: typeof output; run: () => unknown }>().not.toExtend<
      UncheckedDefinition<unknown, unknown, unknown, unknown>
    >();
    defineHandler({
      output,
      *run() {
        yield "a chunk of any kind";
        return { total: 1 };
      },
    });
    defineHandler({
      output: z.array(z.number()),
      aggregate: true,
      *run() {
        yield chunk(1, {});
      },
    });
  });

  test("context.state is what setup gives, waited for", () => {
    const handler = defineHandler({
      input,
      setup: async ({ log }) => {
        log.info("loading");
        return { words: ["a"] };
      },
      dispose: (state) => {
        expectTypeOf(state).toEqualTypeOf<{ words: string[] }>();
      },
      run: ({ input: { name } }, { state }) => {
        expectTypeOf(state).toEqualTypeOf<{ words: string[] }>();
        return state.words.includes(name);
      },
    });
    expect(handler.setup).toBeTypeOf("function");
    defineHandler({
      run: (_, { state }) => {
        expectTypeOf(state).toBeUnknown();
      },
    });
  });

  test("an annotated job gives the input's type without a schema; the type argument still does", () => {
    const annotated = defineHandler({
      run: (job: Job<{ n: number }>, context: Context) => [job.input.n, context.attempt],
    });
    expectTypeOf(annotated).toEqualTypeOf<HandlerDefinition<{ n: number }, number[]>>();
    defineHandler<{ text: string }>({
      run: (job) => expectTypeOf(job.input).toEqualTypeOf<{ text: string }>(),
    });
    const plain = defineHandler<{ text: string }>((job) => job.input.text);
    expectTypeOf(plain).toBeFunction();
    expect(plain).toBeTypeOf("function");
  });
});
