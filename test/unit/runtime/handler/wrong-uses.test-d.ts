/** Mistakes that the compiler refuses: the type check fails if a line below `@ts-expect-error` is correct. */
import { expect, test } from "vitest";
import { z } from "zod";
import { readModule } from "../../../../runtime/handler/module/read-module.ts";
import { chunk, defineHandler, type Context, type Job } from "../../../../runtime/index.ts";
import { runHandler } from "../../../../runtime/testing.ts";

const input = z.object({ name: z.string() });
const output = z.object({ total: z.number() });

/** Message of the runtime for a mistake that the compiler does not stop. */
function refusal(definition: unknown): string {
  try {
    readModule({ default: definition }, "handler.ts");
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return "nothing";
}

test("options of a wrong type, for which the runtime has a message too", () => {
  const run = (): number => 7;
  expect(
    // @ts-expect-error -- a string is no concurrency
    refusal(defineHandler({ concurrency: "4", run })),
  ).toContain("`concurrency` of handler.ts must be a whole number");
  expect(
    // @ts-expect-error -- nor is a function that gives one
    refusal(defineHandler({ concurrency: () => "4", run })),
  ).toBe("nothing");
  expect(
    // @ts-expect-error -- aggregate is true or false
    refusal(defineHandler({ aggregate: "yes", run })),
  ).toContain("`aggregate` of handler.ts must be true or false");
  expect(
    // @ts-expect-error -- setup is called
    refusal(defineHandler({ setup: "model.bin", run })),
  ).toContain("`setup` of handler.ts must be a function");
  expect(
    // @ts-expect-error -- a schema has the interface of Standard Schema
    refusal(defineHandler({ input: { type: "object" }, run })),
  ).toContain("must be a Standard Schema");
  expect(
    // @ts-expect-error -- there is nothing to run
    refusal(defineHandler({ concurrency: 4 })),
  ).toContain("it must be a function");
});

test("options that do not exist, which the runtime does not see", () => {
  expect(
    // @ts-expect-error -- a misspelt option
    refusal(defineHandler({ concurency: 4, run: () => 7 })),
  ).toBe("nothing");
});

test("inputs other than the schema's", async () => {
  const handler = defineHandler({
    input,
    run: (job) => {
      // @ts-expect-error -- the schema gives no such property
      const { age } = job.input;
      return [job.input.name, typeof age];
    },
  });
  expect(await runHandler(handler, { name: "Ada" })).toMatchObject({
    output: ["Ada", "undefined"],
  });
  await expect(
    // @ts-expect-error -- nor does it take such an input
    runHandler(handler, { name: 7 }),
  ).rejects.toMatchObject({ code: "invalid_input" });
  defineHandler({
    input,
    // @ts-expect-error -- an annotation has to agree with the schema
    run: (job: Job<{ name: number }>) => job.input.name,
  });
});

test("outputs other than the schema's, in each form", async () => {
  const wrong = [
    // @ts-expect-error -- a value
    defineHandler({ output, run: () => ({ total: "7" }) }),
    // @ts-expect-error -- a promise
    defineHandler({ output, run: async () => ({ sum: 7 }) }),
    defineHandler({
      output,
      // @ts-expect-error -- what a generator returns
      *run() {
        yield 1;
        return { total: "7" };
      },
    }),
    defineHandler({
      output,
      // @ts-expect-error -- what an asynchronous generator returns
      async *run() {
        yield 1;
        return { total: "7" };
      },
    }),
    defineHandler({
      output: z.array(z.number()),
      aggregate: true,
      // @ts-expect-error -- aggregate collects yields, so there have to be some
      run: () => 7,
    }),
  ];
  for (const handler of wrong.slice(0, 4)) {
    await expect(runHandler(handler, {})).rejects.toMatchObject({ code: "invalid_output" });
  }
});

test("states other than setup's", async () => {
  const handler = defineHandler({
    setup: async () => ({ words: ["a"] }),
    // @ts-expect-error -- the state has no letters
    run: (_, { state }) => typeof state.letters,
  });
  expect(await runHandler(handler, {})).toMatchObject({ output: "undefined" });
  defineHandler({
    // @ts-expect-error -- dispose is given another one
    setup: async () => ({ words: ["a"] }),
    dispose: (state: string) => state,
    run: () => 7,
  });
  defineHandler({
    // @ts-expect-error -- without setup nobody knows what the state is
    run: (_, { state }) => typeof state.words,
  });
});

test("wrong uses of a context and a chunk", async () => {
  const handler = defineHandler(async (job: Job<{ n: number }>, context: Context) => {
    // @ts-expect-error -- a job is only read
    job.input = { n: 8 };
    // @ts-expect-error -- as is the context
    const change = (): void => void (context.deadline = 0);
    // @ts-expect-error -- metrics have names
    const made = chunk("text", 3);
    return [job.input.n, change.length, made.output];
  });
  expect(await runHandler(handler, { n: 7 })).toMatchObject({ output: [8, 0, "text"] });
  // @ts-expect-error -- the input is the handler's
  await runHandler(handler, { m: 7 });
});
