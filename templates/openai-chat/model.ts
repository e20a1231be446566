// A stand-in for a chat model: it repeats the user's last message. Replace it with a real model; the handler stays.
import type { Message } from "./schema.ts";

export const MODEL_ID = "stand-in-1";

export interface Model {
  /** Yields the answer token by token. Throws the signal's reason when it aborts. */
  answer(messages: readonly Message[], signal: AbortSignal): AsyncGenerator<string>;
}

/** A real model would load its weights here, to the GPU if there is one. */
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

/** The words, each with the space after it. */
export function tokensOf(text: string): readonly string[] {
  return text.split(/(?<=\s)/u);
}
