// A stand-in for a language model: it remembers which word followed which. Replace it with a real model; the handler stays.
import { setTimeout as delay } from "node:timers/promises";
import type { Request } from "./schema.ts";

const TEXT = `The queue holds the job until a worker is free. A worker takes the job and runs the handler.
The handler yields a token, and the token goes to the client at once. The client reads the token while the worker makes
the next one. When the handler is done the job is done, and the worker takes the next job from the queue.`;

/** Time per token, long enough to watch the stream. */
const TOKEN_MS = 20;

export interface Model {
  /** Yields the tokens that follow a prompt, each with the space before it. Ends early when the signal aborts. */
  generate(request: Request, signal: AbortSignal): AsyncGenerator<string>;
}

/** A real model would load its weights here, to the GPU if there is one. */
export async function loadModel(): Promise<Model> {
  const words = TEXT.split(/\s+/u);
  const followers = Map.groupBy(words.keys(), (at) => words[at - 1] ?? "");
  return {
    async *generate({ prompt, maxTokens, seed }, signal) {
      const random = randomFrom(seed);
      let last = prompt.trim().split(/\s+/u).at(-1) ?? "";
      for (let count = 0; count < maxTokens; count++) {
        await delay(TOKEN_MS, undefined, { signal });
        const next = followers.get(last) ?? [...words.keys()];
        last = words[next[Math.floor(random() * next.length)] ?? 0] ?? "";
        yield ` ${last}`;
      }
    },
  };
}

/** Numbers from 0 to below 1, the same for the same seed (a linear congruential generator). */
function randomFrom(seed: number): () => number {
  let state = seed % 2 ** 32;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
