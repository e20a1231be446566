/** Types of each form of handler and of each option: the compiler checks them, the test their effect. */
import { describe, expect, expectTypeOf, test } from "vitest";
import * as v from "valibot";
import { z } from "zod";
import {
  chunk,
  defineHandler,
  type ChunkWithMetrics,
  type Context,
  type Handler,
  type HandlerDefinition,
  type Job,
} from "../../../../../runtime/index.ts";
import { runHandler, type HandlerRun } from "../../../../../runtime/testing.ts";

const zodInput = z.object({ upTo: z.string().transform(Number), step: z.number().default(1) });
const valibotInput = v.object({
  upTo: v.pipe(v.string(), v.transform(Number)),
  step: v.optional(v.number(), 1),
});
type Raw = { upTo: string; step?: number | undefined };
type Given = Job<{ upTo: number; step: number }>;

describe("with an input schema run gets its output, and clients submit its input", () => {
  test("in sync and async handlers", async () => {
    const sync = defineHandler({
      input: zodInput,
      run: (job) => {
        expectTypeOf(job).toEqualTypeOf<Given>();
        return job.input.upTo + job.input.step;
      },
    });
    expectTypeOf(sync).toEqualTypeOf<HandlerDefinition<Given["input"], number, unknown, Raw>>();
    const async = defineHandler({
      input: valibotInput,
      async run(job, context) {
        expectTypeOf(job).toEqualTypeOf<Given>();
        expectTypeOf(context).toEqualTypeOf<Context>();
        return String(job.input.upTo);
      },
    });
    expectTypeOf(async).toEqualTypeOf<HandlerDefinition<Given["input"], string, unknown, Raw>>();
    expect(await runHandler(sync, { upTo: "2" })).toMatchObject({ output: 3 });
    expect(await runHandler(async, { upTo: "2", step: 5 })).toMatchObject({ output: "2" });
  });

  test("in generators of both kinds, where the return value is the output and yields have any type", async () => {
    const sync = defineHandler({
      input: valibotInput,
      *run(job) {
        expectTypeOf(job).toEqualTypeOf<Given>();
        for (let n = 1; n <= job.input.upTo; n += job.input.step) yield n;
        return { done: true };
      },
    });
    expectTypeOf(sync).toEqualTypeOf<
      HandlerDefinition<Given["input"], { done: boolean }, unknown, Raw, { done: boolean }, number>
    >();
    const async = defineHandler({
      input: zodInput,
      async *run({ input: { upTo } }, { signal }) {
        expectTypeOf(upTo).toEqualTypeOf<number>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        for (let n = 1; n <= upTo; n++) yield chunk(n, { tokens: n });
      },
    });
    expectTypeOf(async).toEqualTypeOf<
      HandlerDefinition<Given["input"], void, unknown, Raw, void, ChunkWithMetrics<number>>
    >();
    const { chunks, output } = await runHandler(sync, { upTo: "3", step: 2 });
    expect([chunks.map((each) => each.output), output]).toEqual([[1, 3], { done: true }]);
    const [first] = (await runHandler(async, { upTo: "1" })).chunks;
    expect(first).toEqual({ output: 1, metrics: { stream_index: 0, tokens: 1 } });
  });

  test.each([
    ["zod", zodInput],
    ["valibot", valibotInput],
  ])(
    "an input that does not match the %s schema is refused with the path of each issue",
    async (_, schema) => {
      const handler = defineHandler({ input: schema, run: () => "never" });
      // Clients may send what the types of this program forbid.
      const wrong = JSON.parse('{"upTo":3,"step":"x"}') as Raw;
      await expect(runHandler(handler, wrong)).rejects.toThrow(
        /^The input does not fit the handler's schema: upTo: .+; step: /,
      );
    },
  );
});

describe("an output schema", () => {
  test("of either library checks the final output of each form", async () => {
    const output = v.object({ total: v.pipe(v.number(), v.minValue(1)) });
    const right = [
      defineHandler({ output, run: () => ({ total: 1 }) }),
      defineHandler({ output, run: async () => ({ total: 1 }) }),
      defineHandler({
        output,
        *run() {
          yield "anything";
          return { total: 1 };
        },
      }),
      defineHandler({
        output,
        async *run() {
          yield 7;
          return { total: 1 };
        },
      }),
    ];
    expectTypeOf(right).toEqualTypeOf<HandlerDefinition<unknown, { total: number }>[]>();
    for (const each of right) {
      expect(await runHandler(each, {})).toMatchObject({ output: { total: 1 } });
    }
  });

  test("checks the array of all yields with aggregate", async () => {
    const handler = defineHandler({
      output: v.array(v.number()),
      aggregate: true,
      async *run() {
        yield 1;
        yield chunk(2, { tokens: 1 });
      },
    });
    expectTypeOf(handler).toEqualTypeOf<
      HandlerDefinition<unknown, number[], unknown, unknown, number[], 1 | ChunkWithMetrics<number>>
    >();
    expect(await runHandler(handler, {})).toMatchObject({ output: [1, 2] });
  });
});

describe("options", () => {
  test("setup, sync or async, types context.state and the argument of dispose", async () => {
    const disposed: string[] = [];
    const sync = defineHandler({
      setup: ({ log }) => {
        log.info("loading");
        return "sync";
      },
      dispose: (state) => {
        expectTypeOf(state).toEqualTypeOf<string>();
        disposed.push(state);
      },
      run: (_, { state }) => state.toUpperCase(),
    });
    const async = defineHandler({
      setup: async () => ({ words: new Map([["a", 1]]) }),
      dispose: async (state) => {
        expectTypeOf(state).toEqualTypeOf<{ words: Map<string, number> }>();
      },
      async *run(_, { state }) {
        expectTypeOf(state).toEqualTypeOf<{ words: Map<string, number> }>();
        yield* state.words.keys();
      },
    });
    defineHandler({ run: (_, { state }) => expectTypeOf(state).toBeUnknown() });
    expect(await runHandler(sync, {})).toMatchObject({ output: "SYNC" });
    expect((await runHandler(async, {})).chunks).toHaveLength(1);
    expect(disposed).toEqual(["sync"]);
  });

  test("concurrency is a number or a function of the present number, sync or async", () => {
    const run = (job: Job): unknown => job.input;
    const handlers = [
      defineHandler({ concurrency: 4, run }),
      defineHandler({
        concurrency: (current) => {
          expectTypeOf(current).toEqualTypeOf<number>();
          return current + 1;
        },
        run,
      }),
      defineHandler({ concurrency: async (current) => current, run }),
    ];
    expect(handlers.map(({ concurrency }) => typeof concurrency)).toEqual([
      "number",
      "function",
      "function",
    ]);
  });

  test("chunk accepts any output and metrics by name", () => {
    expectTypeOf(chunk).parameters.toEqualTypeOf<[unknown, Readonly<Record<string, unknown>>]>();
    const made = chunk("text", { output_tokens: 3 });
    expectTypeOf(made).toEqualTypeOf<ChunkWithMetrics<string>>();
    expect(made).toEqual({ output: "text", metrics: { output_tokens: 3 } });
  });
});

describe("a plain function as the default export", () => {
  async function* count(job: Job<{ upTo: number }>, context: Context) {
    for (let n = 1; n <= job.input.upTo; n++) yield n;
    return context.attempt;
  }

  test("needs no definition, and runHandler takes its input", async () => {
    expectTypeOf(count).toExtend<Handler<{ upTo: number }, number>>();
    expectTypeOf(() => 7).toExtend<Handler>();
    expectTypeOf(runHandler<{ upTo: number }>)
      .parameter(1)
      .toEqualTypeOf<{ upTo: number }>();
    const run = await runHandler(count, { upTo: 2 });
    expectTypeOf(run).toEqualTypeOf<HandlerRun>();
    // JSON and aggregate may change the value, so the test states its type.
    expectTypeOf(run.output).toBeUnknown();
    expectTypeOf(run.chunks[0]?.output).toBeUnknown();
    expect(run).toMatchObject({ output: 1, chunks: [{ output: 1 }, { output: 2 }] });
  });

  test("keeps its type in defineHandler", () => {
    const defined = defineHandler(count);
    expectTypeOf(defined).toEqualTypeOf<Handler<{ upTo: number }, number, unknown, number>>();
    expect(defined).toBe(count);
  });

  test("needs an annotation or a type argument for its input, as a definition without a schema does", () => {
    const annotated = defineHandler({
      run: (job: Job<{ n: number }>, context: Context) => [job.input.n, context.attempt],
    });
    expectTypeOf(annotated).toEqualTypeOf<HandlerDefinition<{ n: number }, number[]>>();
    const argued = defineHandler<{ text: string }>({
      run: (job) => expectTypeOf(job.input).toEqualTypeOf<{ text: string }>(),
    });
    const plain = defineHandler<{ text: string }>((job) => job.input.text);
    expect([annotated, argued, plain].map((each) => typeof each)).toEqual([
      "object",
      "object",
      "function",
    ]);
  });
});
