// A stand-in for a language model: it repeats the words of the prompt. Replace it with a real model; the server stays.
import { setTimeout as delay } from "node:timers/promises";
import type { GenerateRequest } from "./schema.ts";

/** Time per token, long enough to watch the stream. */
const TOKEN_MS = 20;

export interface Model {
  /** Throws an AbortError when the signal aborts. */
  generate(request: GenerateRequest, signal: AbortSignal): AsyncGenerator<string>;
}

/** A real model would load its weights here, to the GPU if there is one. */
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
