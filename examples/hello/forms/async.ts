// A handler that waits: it passes the job's signal to everything that it waits for, so that a cancelled job stops at once.
import { setTimeout } from "node:timers/promises";
import type { Context, Job } from "sv-runtime";
import { greet, readName, type Greeting } from "../greeting.ts";

const THINKING_MS = 50;

export default async function async(job: Job, context: Context): Promise<Greeting> {
  const name = readName(job.input);
  await setTimeout(THINKING_MS, undefined, { signal: context.signal });
  return greet(name);
}
