// The smallest endpoint: it takes a name and returns a greeting.
import type { Job } from "sv-runtime";
import { greet, readName, type Greeting } from "./greeting.ts";

export default function hello(job: Job): Greeting {
  return greet(readName(job.input));
}
