// A handler that waits and yields: chunks are sent as they are made, and the signal ends the handler between two chunks.
import { setTimeout } from "node:timers/promises";
import type { Context, Job } from "sv-runtime";
import { greet, readName } from "../greeting.ts";

const LETTER_MS = 5;

export default async function* asyncGenerator(job: Job, context: Context): AsyncGenerator<string> {
  const { greeting } = greet(readName(job.input));
  for (const letter of greeting) {
    await setTimeout(LETTER_MS, undefined, { signal: context.signal });
    yield letter;
  }
}
