/** What a returned async iterable or stream yields becomes the job's stream, bytes as text. */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { runHandler } from "../../../../../runtime/testing.ts";

describe("a returned stream is the job's stream", () => {
  const outputsOf = async (returned: () => unknown) => {
    const { chunks, output } = await runHandler(returned, {});
    return [chunks.map((each) => each.output), output];
  };

  test("as an async iterable that is no iterator, such as the stream of an API's client", async () => {
    const iterable = {
      controller: new AbortController(),
      async *[Symbol.asyncIterator]() {
        yield { delta: "a" };
        yield { delta: "b" };
      },
    };
    expect(await outputsOf(() => iterable)).toEqual([[{ delta: "a" }, { delta: "b" }], undefined]);
    expect(await outputsOf(async () => iterable)).toEqual([
      [{ delta: "a" }, { delta: "b" }],
      undefined,
    ]);
  });

  test("as the body of a response, in text whose characters may be cut between two parts", async () => {
    const bytes = Buffer.from("1 €, 2 €");
    const parts = [bytes.subarray(0, 3), bytes.subarray(3, 4), bytes.subarray(4)];
    const { body } = new Response(ReadableStream.from(parts));
    expect(await outputsOf(() => body)).toEqual([["1 ", "€, 2 €"], undefined]);
    expect(await outputsOf(() => Readable.from(parts))).toEqual([["1 ", "€, 2 €"], undefined]);
  });

  test("as bytes of any async iterable, and what it returns is the output", async () => {
    const iterable = {
      async *[Symbol.asyncIterator]() {
        yield Buffer.from("€").subarray(0, 1);
        yield Buffer.from("€").subarray(1);
        yield "";
        return { tokens: 2 };
      },
    };
    expect(await outputsOf(() => iterable)).toEqual([["€", ""], { tokens: 2 }]);
  });

  test("as lines of a reader, and as objects of a web stream", async () => {
    const lines = createInterface({ input: Readable.from(["one\ntwo\n"]) });
    expect(await outputsOf(() => lines)).toEqual([["one", "two"], undefined]);
    expect(await outputsOf(() => ReadableStream.from([{ a: 1 }]))).toEqual([[{ a: 1 }], undefined]);
  });

  test.each([
    ["begins a character that never ends", Buffer.from("€").subarray(0, 2)],
    ["is no text", Buffer.from([0xff, 0xd8])],
  ])("and fails when it %s", async (_, bytes) => {
    const says = "The stream has bytes that are not UTF-8 text";
    await expect(runHandler(() => Readable.from([bytes]), {})).rejects.toThrow(says);
  });

  test("and is closed when the job is stopped", async () => {
    const [stop, closed] = [new AbortController(), Promise.withResolvers<void>()];
    const endless = new ReadableStream({
      pull: (controller) => {
        controller.enqueue("again");
        stop.abort();
      },
      cancel: () => closed.resolve(),
    });
    await runHandler(() => endless, {}, { signal: stop.signal });
    await expect(closed.promise).resolves.toBeUndefined();
  });
});
