// A stand-in for a language model: it goes round the words of the prompt. Put the real one here; the server stays.
import { setTimeout as delay } from "node:timers/promises";
import type { GenerateRequest } from "./schema.ts";

/** As long as a token takes, so that it can be watched. */
const TOKEN_MS = 20;

export interface Model {
  /** Throws an AbortError when the signal aborts. */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<string>;
}

/** Here the weights would be read, to the GPU if there is one. */
export async function loadModel(): Promise<Model> {
  return {
    async *generate({ prompt, maxTokens }, signal) {
      const words = prompt.split(/\s+/u);
      for (let count = 0; count < maxTokens; count++) {
        await delay(TOKEN_MS, undefined, { signal });
        yield words[count % words.length] ?? "";
      }
    },
  };
}
