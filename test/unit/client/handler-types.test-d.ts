/** The types that `client.endpoint<typeof handler>()` infers from a handler; at run time nothing of it remains. */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { Stream } from "openai/streaming";
import { chunk, defineHandler, type Context, type Job } from "sv-runtime";
import { createClient, type EndpointClient } from "sv-runtime/client";
import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type * as aggregating from "../../../examples/hello/forms/generator.ts";
import type * as streaming from "../../../examples/hello/forms/async-generator.ts";
import type { Greeting } from "../../../examples/hello/greeting.ts";
import type * as hello from "../../../examples/hello/handler.ts";
import type * as starter from "../../../templates/hello/handler.ts";

const client = createClient({ baseUrl: "http://127.0.0.1:1", apiKey: "unused" });
const zodInput = z.object({ upTo: z.string().transform(Number), step: z.number().default(1) });
type Raw = { upTo: string; step?: number | undefined };

/** A client of the handler, never called. */
function of<Handler>() {
  return client.endpoint<Handler>("any");
}

describe("a plain function", () => {
  test("that returns a value, a promise or either", () => {
    const sync = (job: Job<{ name: string }>) => job.input.name.length;
    const async = async (job: Job<{ n: number }>, { attempt }: Context) => ({
      n: job.input.n + attempt,
    });
    const either = (job: Job<{ n: number }>) =>
      job.input.n > 0 ? job.input.n : Promise.resolve("one");
    const structural = ({ input }: { input: { text: string } }) => [input.text];
    expectTypeOf(of<typeof sync>()).toEqualTypeOf<EndpointClient<{ name: string }, number>>();
    expectTypeOf(of<typeof async>()).toEqualTypeOf<EndpointClient<{ n: number }, { n: number }>>();
    expectTypeOf(of<typeof either>()).toEqualTypeOf<
      EndpointClient<{ n: number }, number | string>
    >();
    expectTypeOf(of<typeof structural>()).toEqualTypeOf<
      EndpointClient<{ text: string }, string[]>
    >();
  });

  test("with no type for its input, or no return value", () => {
    const blind = () => "x";
    const unknowing = (job: Job) => job.id;
    const silent = async (job: Job<{ n: number }>) => void job;
    expectTypeOf(of<typeof blind>()).toEqualTypeOf<EndpointClient<unknown, string>>();
    expectTypeOf(of<typeof unknowing>()).toEqualTypeOf<EndpointClient<unknown, string>>();
    expectTypeOf(of<typeof silent>()).toEqualTypeOf<EndpointClient<{ n: number }, undefined>>();
  });

  test("that yields, with metrics or without", () => {
    function* sync({ input }: Job<{ upTo: number }>) {
      for (let n = 1; n <= input.upTo; n++) yield n;
      return "done";
    }
    async function* async(job: Job<{ text: string }>) {
      yield chunk(job.input.text, { tokens: 1 });
      yield { end: true };
    }
    expectTypeOf(of<typeof sync>()).toEqualTypeOf<
      EndpointClient<{ upTo: number }, string, number>
    >();
    expectTypeOf(of<typeof async>()).toEqualTypeOf<
      EndpointClient<{ text: string }, undefined, string | { end: boolean }>
    >();
  });
});

describe("the types of defineHandler", () => {
  test("clients submit the input type of the input schema, and get the output type of the output schema", () => {
    const output = v.object({ total: v.pipe(v.number(), v.transform(String)) });
    const handler = defineHandler({
      input: zodInput,
      output,
      async run({ input }) {
        expectTypeOf(input).toEqualTypeOf<{ upTo: number; step: number }>();
        return { total: input.upTo };
      },
    });
    expectTypeOf(of<typeof handler>()).toEqualTypeOf<EndpointClient<Raw, { total: string }>>();
  });

  test("without schemas are the types of the function", () => {
    const plain = defineHandler((job: Job<{ n: number }>) => job.input.n);
    const argued = defineHandler<{ n: number }>({ run: ({ input }) => input.n });
    const open = defineHandler({ run: (job: Job<{ n: number }>) => [job.input.n] });
    expectTypeOf(of<typeof plain>()).toEqualTypeOf<EndpointClient<{ n: number }, number>>();
    expectTypeOf(of<typeof argued>()).toEqualTypeOf<EndpointClient<{ n: number }>>();
    expectTypeOf(of<typeof open>()).toEqualTypeOf<EndpointClient<{ n: number }, number[]>>();
  });

  test("generators, and the array of their yields with aggregate", () => {
    const streams = defineHandler({
      input: zodInput,
      async *run({ input }) {
        yield chunk({ text: "a", n: input.upTo }, { tokens: 1 });
        return { done: true };
      },
    });
    const collects = defineHandler({
      aggregate: true,
      *run(job: Job<{ n: number }>) {
        yield chunk(job.input.n, { tokens: 1 });
      },
    });
    const checked = defineHandler({
      aggregate: true,
      output: z.array(z.number().transform(String)),
      *run() {
        yield 1;
      },
    });
    expectTypeOf(of<typeof streams>()).toEqualTypeOf<
      EndpointClient<Raw, { done: boolean }, { text: string; n: number }>
    >();
    expectTypeOf(of<typeof collects>()).toEqualTypeOf<
      EndpointClient<{ n: number }, number[], number>
    >();
    expectTypeOf(of<typeof checked>()).toEqualTypeOf<EndpointClient<unknown, string[], number>>();
  });
});

describe("a returned stream", () => {
  type Delta = { delta: string };
  const stream = (): Stream<Delta> => new Stream(async function* () {}, new AbortController());
  const bytes = (): ReadableStream<Uint8Array> => new ReadableStream();

  test("of an API's client is the job's stream, at once or later, and beside other outputs", () => {
    const later = async (job: Job<{ n: number }>) => (job.input.n > 0 ? stream() : "none");
    expectTypeOf(of<typeof stream>()).toEqualTypeOf<EndpointClient<unknown, unknown, Delta>>();
    expectTypeOf(of<typeof later>()).toEqualTypeOf<EndpointClient<{ n: number }, unknown, Delta>>();
  });

  test("of bytes is text, and of anything else as it is", () => {
    const body = async (job: Job<{ n: number }>) => (job.input.n > 0 ? bytes() : null);
    const objects = () => ReadableStream.from([{ a: 1 }]);
    const lines = () => createInterface({ input: process.stdin });
    const node = () => Readable.from(["a"]);
    expectTypeOf(of<typeof body>()).toEqualTypeOf<
      EndpointClient<{ n: number }, null | undefined, string>
    >();
    expectTypeOf(of<typeof objects>()).toEqualTypeOf<
      EndpointClient<unknown, undefined, { a: number }>
    >();
    expectTypeOf(of<typeof lines>()).toEqualTypeOf<EndpointClient<unknown, undefined, string>>();
    expectTypeOf(of<typeof node>()).toEqualTypeOf<EndpointClient<unknown, undefined>>();
  });

  test("of one's own has its return value as the output, and so has a promised generator", () => {
    const iterable = () => ({
      async *[Symbol.asyncIterator]() {
        yield 1;
        return "end";
      },
    });
    async function* counting() {
      yield 1;
      return "end";
    }
    const promised = async () => counting();
    type Expected = EndpointClient<unknown, string, number>;
    expectTypeOf(of<typeof iterable>()).toEqualTypeOf<Expected>();
    expectTypeOf(of<typeof promised>()).toEqualTypeOf<Expected>();
  });

  test("keeps its types in defineHandler, with options, and with a schema of all yields", () => {
    const plain = defineHandler(stream);
    const options = defineHandler({ concurrency: 2, run: async () => stream() });
    const collects = defineHandler({ aggregate: true, run: stream });
    const checked = defineHandler({
      aggregate: true,
      output: z.array(z.object({ delta: z.string() })),
      run: async () => stream(),
    });
    const body = defineHandler(bytes);
    expectTypeOf(of<typeof plain>()).toEqualTypeOf<EndpointClient<unknown, unknown, Delta>>();
    expectTypeOf(of<typeof options>()).toEqualTypeOf<EndpointClient<unknown, unknown, Delta>>();
    expectTypeOf(of<typeof collects>()).toEqualTypeOf<EndpointClient<unknown, Delta[], Delta>>();
    expectTypeOf(of<typeof checked>()).toEqualTypeOf<EndpointClient<unknown, Delta[], Delta>>();
    // A generator that yields bytes has the same type there.
    expectTypeOf(of<typeof body>()).toEqualTypeOf<
      EndpointClient<unknown, undefined, string | number[]>
    >();
  });

  test("is none where a value is iterable without being a stream", () => {
    const list = () => [1];
    const map = () => new Map([["a", 1]]);
    expectTypeOf(of<typeof list>()).toEqualTypeOf<EndpointClient<unknown, number[]>>();
    expectTypeOf(of<typeof map>()).toEqualTypeOf<EndpointClient<unknown, Map<string, number>>>();
  });
});

describe("a module", () => {
  test("with a function or a definition as its default export, and options of its own", () => {
    type Module = {
      default: (job: Job<{ upTo: number; step: number }>) => Generator<number, void>;
      input: typeof zodInput;
      aggregate: true;
      concurrency: 4;
    };
    expectTypeOf(of<typeof hello>()).toEqualTypeOf<EndpointClient<unknown, Greeting>>();
    expectTypeOf(of<typeof streaming>()).toEqualTypeOf<EndpointClient<unknown, unknown, string>>();
    expectTypeOf(of<typeof aggregating>()).toEqualTypeOf<
      EndpointClient<unknown, string[], string>
    >();
    expectTypeOf(of<typeof starter>()).toEqualTypeOf<
      EndpointClient<
        { name: string; language?: "en" | "de" | "fr" | undefined },
        { greeting: string }
      >
    >();
    expectTypeOf(of<Module>()).toEqualTypeOf<EndpointClient<Raw, number[], number>>();
  });
});

test("the caller chooses types that are not a handler's type", () => {
  expectTypeOf(client.endpoint("x")).toEqualTypeOf<EndpointClient>();
  expectTypeOf(client.endpoint<{ run: string }>("x")).toEqualTypeOf<
    EndpointClient<{ run: string }>
  >();
  expectTypeOf(client.endpoint<string | { n: 1 }, number, boolean>("x")).toEqualTypeOf<
    EndpointClient<string | { n: 1 }, number, boolean>
  >();
  const given: EndpointClient<{ name: string }, string> = client.endpoint("x");
  expectTypeOf<Parameters<typeof given.run>[0]>().toEqualTypeOf<{ name: string }>();
});

test("a wrong input is refused by the compiler", () => {
  const handler = (job: Job<{ name: string }>) => job.input.name;
  // @ts-expect-error a name is a string
  const run = () => of<typeof handler>().run({ name: 1 });
  expectTypeOf(run).toBeFunction();
});
