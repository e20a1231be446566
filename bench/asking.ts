/** Questions and answers between the benchmark and its forked programs, over Node's channel. */
import { type ChildProcess, fork, type ForkOptions } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { endProcess, watchOver } from "./processes.ts";

const questionShape = z.object({ id: z.number(), question: z.unknown() });
const answerShape = z.object({
  id: z.number(),
  answer: z.unknown().optional(),
  error: z.string().optional(),
});

/** A forked program of this folder that answers questions, one at a time. */
export class Program implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly #name: string;
  #asked = 0;

  /** @param name file name in `bench/programs/`, without its ending */
  constructor(name: string, options: ForkOptions = {}) {
    const file = fileURLToPath(new URL(`./programs/${name}.ts`, import.meta.url));
    this.#name = name;
    this.child = fork(file, { serialization: "advanced", ...options });
    watchOver(this.child);
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`${this.#name} did not start.`);
    return this.child.pid;
  }

  /** @throws Error if the program fails at the question, or ends before it answers. */
  async ask<T>(shape: z.ZodType<T>, question: unknown): Promise<T> {
    this.#asked += 1;
    const id = this.#asked;
    this.child.send({ id, question });
    for (;;) {
      const message = await this.#message();
      const reply = answerShape.safeParse(message).data;
      if (reply?.id !== id) continue;
      if (reply.error !== undefined) throw new Error(`${this.#name}: ${reply.error}`);
      return shape.parse(reply.answer);
    }
  }

  async #message(): Promise<unknown> {
    const listening = new AbortController();
    const { signal } = listening;
    try {
      return await Promise.race([
        once(this.child, "message", { signal }).then(([message]: unknown[]) => message),
        once(this.child, "exit", { signal }).then(([code, how]: unknown[]) => {
          throw new Error(`${this.#name} ended before it answered (${String(how ?? code)}).`);
        }),
      ]);
    } finally {
      listening.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await endProcess(this.child);
  }
}

/** Answers the benchmark's questions until the benchmark ends. */
export function answerQuestions(answer: (question: unknown) => unknown): void {
  const reply = async (message: unknown): Promise<void> => {
    const { id, question } = questionShape.parse(message);
    try {
      process.send?.({ id, answer: await answer(question) });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? error.message : String(error) });
    }
  };
  process.on("message", (message) => void reply(message));
  process.on("disconnect", () => process.exit());
}
