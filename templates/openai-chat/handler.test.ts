// The handler in the test's own process, then behind the client that callers use.
import OpenAI from "openai";
import { startEmulator } from "sv-runtime/emulator";
import { runHandler } from "sv-runtime/testing";
import { expect, test } from "vitest";
import handler from "./handler.ts";
import { MODEL_ID } from "./model.ts";

test("answers a chat with one completion", async () => {
  const { output } = await runHandler(handler, {
    openai_route: "/v1/chat/completions",
    openai_input: { model: MODEL_ID, messages: [{ role: "user", content: "Hello there" }] },
  });
  expect(output).toMatchObject([
    {
      choices: [{ message: { role: "assistant", content: "You said: Hello there" } }],
      usage: { prompt_tokens: 2, completion_tokens: 4, total_tokens: 6 },
    },
  ]);
});

test("an OpenAI client lists models, chats, reads a stream, and is told of its mistakes", async () => {
  await using emulator = await startEmulator({
    port: 0,
    apiKey: "test-key",
    handlers: [{ id: "my-endpoint", path: `${import.meta.dirname}/handler.ts` }],
  });
  const baseURL = `${emulator.url}/v2/my-endpoint/openai/v1`;
  const openai = new OpenAI({ baseURL, apiKey: "test-key", maxRetries: 0 });
  const models = await Array.fromAsync(openai.models.list());
  expect(models.map(({ id }) => id)).toEqual([MODEL_ID]);

  const messages = [{ role: "user", content: "Hello there" } as const];
  const answer = await openai.chat.completions.create({ model: MODEL_ID, messages });
  expect(answer.choices[0]?.message.content).toBe("You said: Hello there");

  let text = "";
  const stream = openai.chat.completions.stream({
    model: MODEL_ID,
    messages,
    stream_options: { include_usage: true },
  });
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
  expect(text).toBe("You said: Hello there");
  expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: 2, completion_tokens: 4 });

  const other = openai.chat.completions.create({ model: "other", messages });
  await expect(other).rejects.toMatchObject({ status: 404, code: "model_not_found" });
  const empty = openai.chat.completions.create({ model: MODEL_ID, messages: [] });
  await expect(empty).rejects.toMatchObject({ status: 400, code: "invalid_input" });
}, 60_000);
