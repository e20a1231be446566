// A stand-in for a chat model: it says again what the user said last. Put the real one here; the handler stays.
import type { Message } from "./schema.ts";

export const MODEL_ID = "stand-in-1";

export interface Model {
  /** The answer, token by token. Throws the signal's reason when that aborts. */
  answer(messages: readonly Message[], signal: AbortSignal): AsyncGenerator<string>;
}

/** Here the weights would be read, to the GPU if there is one. */
export async function loadModel(): Promise<Model> {
  return {
    async *answer(messages, signal) {
      const said = messages.findLast(({ role }) => role === "user")?.content ?? "nothing";
      for (const token of tokensOf(`You said: ${said}`)) {
        signal.throwIfAborted();
        yield token;
      }
    },
  };
}

/** Words, each with the space behind it. */
export function tokensOf(text: string): readonly string[] {
  return text.split(/(?<=\s)/u);
}
