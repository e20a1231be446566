// An example of a streaming text-generation endpoint: it continues a prompt in the style of a book, token by token.
import { readFile } from "node:fs/promises";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { Context, Job } from "sv-runtime";
import { beginning, encode, train, type LanguageModel } from "./model.ts";
import { seededRandom, seedFrom } from "./random.ts";
import { readRequest } from "./request.ts";
import { continuation } from "./sample.ts";

/** One chunk of the stream: the new token, and the numbers of tokens read and made so far. */
export interface TokensChunk {
  readonly text: readonly [string];
  readonly input_tokens: number;
  readonly output_tokens: number;
}

/** Maximum number of simultaneous jobs of a process. */
export const concurrency = 8;

/** The chunks are only streamed, not collected into the job's output. */
export const aggregate = false;

let model: LanguageModel | undefined;

/** Trains the model, once, before the first job. */
export async function setup(): Promise<void> {
  model = train(await readFile(new URL("./corpus.txt", import.meta.url), "utf8"));
}

export default async function* tokens(job: Job, { signal }: Context): AsyncGenerator<TokensChunk> {
  if (model === undefined) throw new Error("The model is not trained: await setup() first.");
  const { prompt, maxTokens, temperature, seed, delayMs } = readRequest(job.input);
  const read = encode(model, prompt);
  // Without a seed the job's id is the seed, so that a retried job makes the same text.
  const random = seededRandom(seed ?? seedFrom(job.id));
  const start = read.length > 0 ? read : beginning(model);
  let made = 0;
  for (const id of continuation(model, start, { temperature, random })) {
    // Waits for a turn of the event loop even without a delay: otherwise no cancellation could arrive before the last token.
    await (delayMs > 0
      ? setTimeout(delayMs, undefined, { signal })
      : setImmediate(undefined, { signal }));
    made++;
    yield { text: [model.vocabulary[id] ?? ""], input_tokens: read.length, output_tokens: made };
    if (made === maxTokens) return;
  }
}
