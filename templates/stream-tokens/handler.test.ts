// The handler in the test's own process, then its stream as clients read it.
import { createClient } from "sv-runtime/client";
import { startEmulator } from "sv-runtime/emulator";
import { runHandler } from "sv-runtime/testing";
import { expect, test } from "vitest";
import handler from "./handler.ts";

test("yields as many tokens as are asked for, the same for the same seed", async () => {
  const request = { prompt: "The worker", maxTokens: 5, seed: 7 };
  const [one, other] = await Promise.all([
    runHandler(handler, request),
    runHandler(handler, request),
  ]);
  expect(one.chunks).toHaveLength(5);
  expect(one.chunks.map(({ output }) => output)).toEqual(other.chunks.map(({ output }) => output));
});

test("needs no model to be tested: another one can be handed in", async () => {
  const state = {
    async *generate() {
      yield* ["to", " be"];
    },
  };
  const { chunks } = await runHandler(handler, { prompt: "" }, { state });
  expect(chunks.map(({ output }) => output)).toEqual([
    { text: "to", tokens: 1 },
    { text: " be", tokens: 2 },
  ]);
});

test("stops when its time is up", async () => {
  const limit = { executionTimeoutMs: 100 };
  const run = runHandler(handler, { prompt: "The", maxTokens: 1_000 }, limit);
  await expect(run).rejects.toMatchObject({ name: "AbortError" });
});

test("clients of the service read the stream", async () => {
  await using emulator = await startEmulator({
    port: 0,
    apiKey: "test-key",
    handlers: [{ id: "my-endpoint", path: `${import.meta.dirname}/handler.ts` }],
  });
  await using client = createClient({ baseUrl: emulator.url, apiKey: "test-key" });
  const endpoint = client.endpoint<typeof handler>("my-endpoint");
  const { id } = await endpoint.run({ prompt: "The", maxTokens: 3 });
  const counts: number[] = [];
  for await (const { output } of endpoint.stream(id)) counts.push(output.tokens);
  expect(counts).toEqual([1, 2, 3]);
}, 60_000);
