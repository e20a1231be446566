// A handler that returns its result: enough when there is nothing to wait for.
import type { Context, Job } from "sv-runtime";
import { greet, readName, type Greeting } from "../greeting.ts";

export default function sync(job: Job, context: Context): Greeting {
  const name = readName(job.input);
  context.log.info(`greeting ${name}`);
  return greet(name);
}
