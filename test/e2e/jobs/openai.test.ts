/** The official client of the OpenAI API, unchanged, against the openai-chat example. */
import path from "node:path";
import OpenAI, {
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
} from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryTree } from "../../temporary-tree.ts";
import { startEmulatorProcess, type EmulatorProcess } from "../emulator-process.ts";

const example = path.resolve(import.meta.dirname, "../../../examples/openai-chat");
const messages = [{ role: "user" as const, content: "Hello there, Ada" }];
const model = "parrot-1";

let emulator: EmulatorProcess;
let openai: OpenAI;

function clientOf({ url, apiKey = "" }: EmulatorProcess, endpoint: string, key = apiKey): OpenAI {
  return new OpenAI({ baseURL: `${url}/v2/${endpoint}/openai/v1`, apiKey: key });
}

beforeAll(async () => {
  emulator = await startEmulatorProcess({ args: [example, "--ephemeral"] });
  openai = clientOf(emulator, "openai-chat");
});

afterAll(async () => emulator[Symbol.asyncDispose]());

test("the client gets the answer to a chat", async () => {
  const { data: answer, request_id: id } = await openai.chat.completions
    .create({ model, messages })
    .withResponse();
  expect(answer.choices[0]?.message.content).toBe("You said: Hello there, Ada");
  expect(answer.usage).toEqual({ prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 });
  expect(id).toMatch(/^sync-/);
});

test("the client gets a chat streamed word by word", async () => {
  const stream = await openai.chat.completions.create({ model, messages, stream: true });
  const words: unknown[] = [];
  for await (const { choices } of stream) words.push(choices[0]?.delta.content);
  expect(words).toEqual(["", "You ", "said: ", "Hello ", "there, ", "Ada", undefined]);
});

test("a stream ends with the usage only if the request asks for it", async () => {
  const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
  const runner = openai.chat.completions.stream({
    model,
    messages,
    stream_options: { include_usage: true },
  });
  const events = await Array.fromAsync(runner);
  expect(events.at(-1)).toMatchObject({ choices: [], usage });
  expect(events.slice(0, -1).map((event) => event.usage)).toEqual(Array(7).fill(null));
  expect(await runner.totalUsage()).toMatchObject(usage);
  const plain = await openai.chat.completions.create({ model, messages, stream: true });
  for await (const event of plain) expect(event).not.toHaveProperty("usage");
});

test("an upload is refused with a message that says what to send instead", async () => {
  const file = new File(["RIFF"], "speech.wav");
  const call = openai.audio.transcriptions.create({ model, file });
  await expect(call).rejects.toThrow(BadRequestError);
  await expect(call).rejects.toThrow(
    /multipart\/form-data is not supported: the body must be a JSON object/u,
  );
});

test("the client's own stream runner joins the words", async () => {
  const runner = openai.chat.completions.stream({ model, messages });
  const final = await runner.finalChatCompletion();
  expect(final.choices[0]?.message.content).toBe("You said: Hello there, Ada");
  expect(final.choices[0]?.finish_reason).toBe("stop");
});

test("completions, models and embeddings work", async () => {
  const completed = await openai.completions.create({ model, prompt: "Hi" });
  expect(completed.choices[0]?.text).toBe("You said: Hi");
  const models = await Array.fromAsync(openai.models.list());
  expect(models.map(({ id }) => id)).toEqual([model]);
  const { data } = await openai.embeddings.create({ model, input: ["abc", "cab", "x"] });
  const [first, second, third] = data.map(({ embedding }) => embedding);
  expect(first).toHaveLength(8);
  expect(first).toEqual(second);
  expect(first).not.toEqual(third);
});

test.each([true, false])(
  "an unknown model is an error with its own class (stream: %s)",
  async (stream) => {
    const call = openai.chat.completions.create({ model: "gpt-0", messages, stream });
    await expect(call).rejects.toThrow(NotFoundError);
    await expect(call).rejects.toMatchObject({ status: 404, code: "model_not_found" });
  },
);

test("a wrong key is an error of its own class", async () => {
  const call = clientOf(emulator, "openai-chat", "wrong").models.list();
  await expect(call).rejects.toThrow(AuthenticationError);
});

test("a call of a handler that throws fails once, without the client's retries", async () => {
  await using tree = await temporaryTree({
    "fails.js":
      "let calls = 0; export default () => { calls += 1; throw new Error(`call ${calls}`); };",
  });
  await using failing = await startEmulatorProcess({
    args: ["fails.js", "--ephemeral"],
    cwd: tree.root,
  });
  const call = clientOf(failing, "fails").chat.completions.create({ model, messages });
  await expect(call).rejects.toThrow(InternalServerError);
  await expect(call).rejects.toThrow("call 1");
});

test("an aborted call cancels its job", async () => {
  await using tree = await temporaryTree({
    "slow.js": `export default async function* (job, { signal }) {
      yield { choices: [{ delta: { content: "a" } }] };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }`,
  });
  await using slow = await startEmulatorProcess({
    args: ["slow.js", "--ephemeral"],
    cwd: tree.root,
  });
  const call = clientOf(slow, "slow").chat.completions.create({ model, messages, stream: true });
  const { data: stream, request_id: id } = await call.withResponse();
  for await (const { choices } of stream) {
    expect(choices[0]?.delta.content).toBe("a");
    break;
  }
  const status = async () => {
    const headers = { authorization: `Bearer ${slow.apiKey}` };
    const answer = await fetch(`${slow.url}/v2/slow/status/${id}`, { headers });
    return ((await answer.json()) as { status: string }).status;
  };
  await expect.poll(status).toBe("CANCELLED");
});
