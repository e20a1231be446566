// The tokens example streams the requested number of tokens in order, and equal ones for equal seeds.
import { stat } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import tokens, { aggregate, setup, type TokensChunk } from "../../../examples/tokens/handler.ts";
import { LIMITS } from "../../../examples/tokens/request.ts";
import { fakeContext, fakeJob } from "./fake-job.ts";

function stream(input: unknown, id?: string, signal?: AbortSignal): AsyncGenerator<TokensChunk> {
  const job = fakeJob(input, id);
  return tokens(job, fakeContext(job, signal).context);
}

async function text(input: unknown, id?: string): Promise<string> {
  const chunks = await Array.fromAsync(stream(input, id));
  return chunks.flatMap((chunk) => chunk.text).join("");
}

beforeAll(setup);

describe("tokens", () => {
  it("learns from a text of at least 30 kB", async () => {
    const { size } = await stat(new URL("../../../examples/tokens/corpus.txt", import.meta.url));
    expect(size).toBeGreaterThan(30_000);
  });

  it("streams 400 tokens in order, each in its own chunk", async () => {
    const chunks = await Array.fromAsync(stream({ prompt: "It was a dark night", maxTokens: 400 }));
    expect(chunks.map((chunk) => chunk.output_tokens)).toEqual(
      Array.from({ length: 400 }, (_, index) => index + 1),
    );
    for (const chunk of chunks) {
      expect(Object.keys(chunk).toSorted()).toEqual(["input_tokens", "output_tokens", "text"]);
      expect(chunk.input_tokens).toBe(5);
      expect(chunk.text).toHaveLength(1);
      expect(chunk.text[0]).not.toBe("");
    }
    expect(aggregate).toBe(false);
  });

  it("joins to readable text", async () => {
    const joined = await text({ prompt: "Holmes", maxTokens: 300, seed: 1 });
    expect(joined).toMatch(/[a-z] [a-z]+ [a-z]/u);
    expect(joined).not.toMatch(/ {2}| [,.;]/u);
  });

  it("continues words of the book as the book does at temperature 0", async () => {
    const prompt = "To Sherlock Holmes she is";
    expect(await text({ prompt, maxTokens: 4, temperature: 0 })).toBe(" always THE woman.");
  });

  it.each([
    ["an empty prompt", "", 0],
    ["a prompt of unknown words", "blockchain zyzzyva", 2],
    [
      "the last words of the book",
      "where I believe that she has met with considerable success.",
      11,
    ],
  ])("never stops early after %s", async (_, prompt, inputTokens) => {
    const chunks = await Array.fromAsync(stream({ prompt, maxTokens: 250 }));
    expect(chunks).toHaveLength(250);
    expect(chunks.at(-1)).toMatchObject({ output_tokens: 250, input_tokens: inputTokens });
  });

  it("makes equal texts for equal seeds, whatever the job", async () => {
    const input = { prompt: "Watson", maxTokens: 60, seed: 42 };
    const first = await text(input, "job-1");
    expect(await text(input, "job-2")).toBe(first);
    expect(await text({ ...input, seed: 43 }, "job-1")).not.toBe(first);
  });

  it("makes the same text for one job without a seed", async () => {
    const input = { prompt: "Watson", maxTokens: 60 };
    const first = await text(input, "job-1");
    expect(await text(input, "job-1")).toBe(first);
    expect(await text(input, "job-2")).not.toBe(first);
  });

  it("is deterministic at temperature 0", async () => {
    const input = { prompt: "Watson", maxTokens: 30, temperature: 0 };
    expect(await text({ ...input, seed: 1 })).toBe(await text({ ...input, seed: 2 }));
  });

  it("stops between two tokens when the job is cancelled", async () => {
    const cancel = new AbortController();
    const chunks = stream({ prompt: "Holmes", maxTokens: 4096 }, "job-1", cancel.signal);
    for (let made = 1; made <= 5; made++) {
      expect((await chunks.next()).value).toMatchObject({ output_tokens: made });
    }
    cancel.abort();
    await expect(chunks.next()).rejects.toThrow("aborted");
    await expect(chunks.next()).resolves.toEqual({ done: true, value: undefined });
  });

  it("can be cancelled while it streams without a delay", async () => {
    const cancel = new AbortController();
    setImmediate(() => cancel.abort());
    const input = { prompt: "Holmes", maxTokens: LIMITS.maxTokens };
    await expect(Array.fromAsync(stream(input, "job-1", cancel.signal))).rejects.toThrow("aborted");
  });

  it("stops in the middle of a pause when the job is cancelled", async () => {
    const cancel = new AbortController();
    const input = { prompt: "Holmes", maxTokens: 5, delayMs: 1000 };
    const next = stream(input, "job-1", cancel.signal).next();
    cancel.abort();
    await expect(next).rejects.toThrow("aborted");
  });

  it("reports a missing setup", async () => {
    const own = new URL("../../../examples/tokens/handler.ts?not-set-up", import.meta.url);
    const fresh = (await import(own.href)) as { readonly default: typeof tokens };
    const job = fakeJob({ prompt: "Holmes" });
    await expect(fresh.default(job, fakeContext(job).context).next()).rejects.toThrow(
      "await setup() first",
    );
  });

  const prompt = "Holmes";
  it.each([
    ["no prompt", {}, "input.prompt must be a string"],
    ["an input that is no object", 7, "input.prompt must be a string"],
    ["a prompt that is a list", { prompt: ["a"] }, "input.prompt must be a string"],
    [
      "a prompt that is too long",
      { prompt: "x".repeat(LIMITS.promptCharacters + 1) },
      "input.prompt has 10001 characters; at most 10000 are read.",
    ],
    ["no tokens", { prompt, maxTokens: 0 }, "input.maxTokens is 0; it must lie between 1 and 4096"],
    ["too many tokens", { prompt, maxTokens: 4097 }, "it must lie between 1 and 4096."],
    ["half a token", { prompt, maxTokens: 1.5 }, "input.maxTokens is 1.5; it must be a whole"],
    ["tokens as text", { prompt, maxTokens: "9" }, "input.maxTokens must be a number."],
    ["a temperature below 0", { prompt, temperature: -1 }, "input.temperature is -1"],
    ["a temperature above 2", { prompt, temperature: 2.1 }, "input.temperature is 2.1"],
    ["a seed beyond 32 bits", { prompt, seed: 2 ** 32 }, "input.seed is 4294967296"],
    ["a seed of null", { prompt, seed: null }, "input.seed must be a number."],
    ["a delay of an hour", { prompt, delayMs: 3_600_000 }, "input.delayMs is 3600000"],
  ])("refuses %s", async (_, input, message) => {
    await expect(stream(input).next()).rejects.toThrow(message);
  });
});
