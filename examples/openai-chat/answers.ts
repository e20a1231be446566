// The model's answers, in the forms of the OpenAI API.
import { type Body, MODEL, readQuestion, readTexts, wantsUsage } from "./call.ts";

/** Ids and times are fixed, so that the same call always has the same answer. */
const CREATED = 1_767_225_600;

const DIMENSIONS = 8;

/** The model: it repeats the user's message. */
function parrot(text: string): readonly string[] {
  return `You said: ${text}`.split(/(?<=\s)/u);
}

export function modelList(): object {
  const model = { id: MODEL, object: "model", created: CREATED, owned_by: "sv-runtime" };
  return { object: "list", data: [model] };
}

export function chatAnswer(id: string, body: Body): object {
  const question = readQuestion(body);
  const said = parrot(question);
  const message = { role: "assistant", content: said.join(""), refusal: null };
  return {
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: CREATED,
    model: MODEL,
    choices: [{ index: 0, message, finish_reason: "stop", logprobs: null }],
    usage: usageOf(question, said),
  };
}

/** The answer word by word. The end has the usage, if the client asked for it. */
export function* chatEvents(id: string, body: Body): Generator<object> {
  const frame = {
    id: `chatcmpl-${id}`,
    object: "chat.completion.chunk",
    created: CREATED,
    model: MODEL,
    ...(wantsUsage(body) && { usage: null }),
  };
  const event = (delta: object, finish_reason: string | null) => ({
    ...frame,
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
  });
  const question = readQuestion(body);
  const words = parrot(question);
  yield event({ role: "assistant", content: "" }, null);
  for (const content of words) yield event({ content }, null);
  yield event({}, "stop");
  if (wantsUsage(body)) yield { ...frame, choices: [], usage: usageOf(question, words) };
}

export function completion(id: string, body: Body): object {
  const [prompt = ""] = readTexts(body, "prompt");
  const said = parrot(prompt);
  return {
    id: `cmpl-${id}`,
    object: "text_completion",
    created: CREATED,
    model: MODEL,
    choices: [{ index: 0, text: said.join(""), finish_reason: "stop", logprobs: null }],
    usage: usageOf(prompt, said),
  };
}

/** The vector of each text has the share of each letter, by its code. Texts with similar letters have similar vectors. */
export function embeddings(body: Body): object {
  const texts = readTexts(body, "input");
  const encode = body["encoding_format"] === "base64" ? asBase64 : (vector: number[]) => vector;
  const data = texts.map((text, index) => ({
    object: "embedding",
    index,
    embedding: encode(vectorOf(text)),
  }));
  const read = texts.join(" ").split(/\s+/u).length;
  return { object: "list", data, model: MODEL, usage: { prompt_tokens: read, total_tokens: read } };
}

function vectorOf(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const character of text) {
    const at = (character.codePointAt(0) ?? 0) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** Clients request base64 by default, because it is shorter. */
function asBase64(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString("base64");
}

function usageOf(read: string, said: readonly string[]): object {
  const prompt_tokens = read.split(/\s+/u).length;
  const total_tokens = prompt_tokens + said.length;
  return { prompt_tokens, completion_tokens: said.length, total_tokens };
}
