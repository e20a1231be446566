// The smallest endpoint: a name comes in, a greeting goes out.
import type { Job } from "sv-runtime";
import { greet, readName, type Greeting } from "./greeting.ts";

export default function hello(job: Job): Greeting {
  return greet(readName(job.input));
}
